// Text for people: line breaks and numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::report {

/// Breaks a paragraph at blanks into lines of at most `width` characters (longer words stay whole); each line
/// after the first begins with `indent` blanks, which count.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

/// "512 B", "64 KiB", "1.5 GiB": at most three significant digits beyond bytes.
std::string readable_bytes(std::uint64_t bytes);

/// "3.2 µs", "41 ms", "2.5 s".
std::string readable_seconds(double seconds);

/// "1,234,567".
std::string grouped(std::uint64_t number);

/// "1 message", "2 messages": plural in s.
std::string counted(std::uint64_t count, std::string_view noun);

} // namespace tacit::report
