// Amounts for people: the same unit and rounding wherever a number is printed.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacit::vocabulary {

/// "512 B", "64 KiB", "1.5 GiB": at most three significant digits beyond bytes.
std::string readable_bytes(std::uint64_t bytes);

/// The bytes of "512MiB", "8G", "64 KB", "4096": units of 1024, in any case; nothing for other words, none and too many.
std::optional<std::uint64_t> read_bytes(std::string_view text);

/// "3.2 µs", "41 ms", "2.5 s".
std::string readable_seconds(double seconds);

/// "427 broadcasts", "1 gather": plural in s.
std::string count_text(std::uint64_t count, std::string_view noun);

} // namespace tacit::vocabulary
