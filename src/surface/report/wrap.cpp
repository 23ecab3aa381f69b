#include "surface/report/wrap.h"

#include <cctype>
#include <fmt/format.h>

namespace tacit::surface {
namespace {

/// Position of the first blank at which the line may be broken: a number stays with its short unit ("11 %").
std::size_t end_of_word(std::string_view text) {
  constexpr std::size_t longest_unit = 3;
  for (std::size_t end = text.find(' '); end < text.size(); end = text.find(' ', end + 1)) {
    const std::size_t after = text.find_first_of(" ,.;:)", end + 1);
    const bool unit = std::min(after, text.size()) - end - 1 <= longest_unit;
    if (!unit || end == 0 || std::isdigit(static_cast<unsigned char>(text[end - 1])) == 0)
      return end;
  }
  return text.size();
}

} // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t start) {
  std::string out;
  std::size_t column = start;
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t end = end_of_word(text);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty())
      continue;
    if (!line_is_empty && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty)
      out += ' ', ++column;
    out += word;
    column += word.size();
    line_is_empty = false;
  }
  return out;
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

std::string percent(double share) {
  return fmt::format("{:.{}f} %", share * 100, share * 100 < 9.95 ? 1 : 0);
}

} // namespace tacit::surface
