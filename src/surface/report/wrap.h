// Text for people: line breaks and numbers.
#pragma once

#include "vocabulary/base/amounts.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::surface {

/// Breaks a paragraph at blanks into lines of at most `width` characters (longer words, and numbers with
/// their units, stay whole); each line after the first begins with `indent` blanks, which count. The first
/// one is put behind `start` characters, which count too.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0, std::size_t start = 0);

/// "1,234,567".
std::string grouped(std::uint64_t number);

/// "62 %", "2.1 %".
std::string percent(double share);

/// "1 message", "2 messages": plural in s.
std::string counted(std::uint64_t count, std::string_view noun);

} // namespace tacit::surface
