// Amounts for people: the same unit and rounding wherever a number is printed.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstdint>
#include <string>

namespace tacit::vocabulary {

/// "512 B", "64 KiB", "1.5 GiB": at most three significant digits beyond bytes.
std::string readable_bytes(std::uint64_t bytes);

/// "3.2 µs", "41 ms", "2.5 s".
std::string readable_seconds(double seconds);

} // namespace tacit::vocabulary
