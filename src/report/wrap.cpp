#include "report/wrap.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tacit::report {
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

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty())
      continue;
    if (column > 0 && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0)
      out += ' ';
    if (column == 0)
      column = out.empty() ? 0 : indent;
    else
      ++column;
    out += word;
    column += word.size();
  }
  return out;
}

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

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

} // namespace tacit::report
