#include "vocabulary/base/amounts.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tacit::vocabulary {
namespace {

/// Three significant digits, without trailing zeros.
std::string short_number(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
      text.pop_back();
  }
  return text;
}

} // namespace

std::string readable_bytes(std::uint64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return short_number(value) + ' ' + units[unit];
}

std::string readable_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    return "unknown time";
  if (seconds < 999.5e-9)
    return short_number(seconds * 1e9) + " ns";
  if (seconds < 999.5e-6)
    return short_number(seconds * 1e6) + " µs";
  if (seconds < 0.9995)
    return short_number(seconds * 1e3) + " ms";
  return short_number(seconds) + " s";
}

} // namespace tacit::vocabulary
