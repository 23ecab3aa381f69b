#include "vocabulary/base/amounts.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tacit::vocabulary {
namespace {

/// Bytes of "K", "KB", "KiB", …, "TiB" in any case; 0 for other words. All are powers of 1024.
std::uint64_t unit_bytes(std::string_view word) {
  constexpr std::string_view letters = "kmgt";
  std::string lower;
  for (const char c : word)
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "b")
    return 1;
  const std::size_t power = letters.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(1);
  if (power == letters.npos || !(rest.empty() || rest == "b" || rest == "ib"))
    return 0;
  return 1ull << (10 * (power + 1));
}

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

std::string count_text(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<std::uint64_t> read_bytes(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value == 0)
    return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == " ")
    return std::nullopt;
  if (unit.starts_with(' '))
    unit.remove_prefix(1);
  const std::uint64_t bytes = unit_bytes(unit);
  if (bytes == 0 || value > std::numeric_limits<std::uint64_t>::max() / bytes)
    return std::nullopt;
  return value * bytes;
}

} // namespace tacit::vocabulary
