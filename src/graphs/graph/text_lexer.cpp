#include "graphs/graph/text_lexer.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tacit::graphs::text {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word_part(char c) {
  return is_letter(c) || is_digit(c);
}

int hex_digit(char c) {
  if (is_digit(c))
    return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

void lexer::skip_blanks() {
  std::size_t blanks = 0;
  while (blanks < rest_.size() && (rest_[blanks] == ' ' || rest_[blanks] == '\t' || rest_[blanks] == '\r'))
    ++blanks;
  if (blanks < rest_.size() && rest_[blanks] == '#')
    blanks = std::min(rest_.find('\n', blanks), rest_.size());
  rest_.remove_prefix(blanks);
  column_ += static_cast<std::uint32_t>(blanks);
}

token lexer::take(token_kind kind, std::size_t bytes) {
  token t{.kind = kind, .line = line_, .column = column_, .text = rest_.substr(0, bytes)};
  rest_.remove_prefix(bytes);
  column_ += static_cast<std::uint32_t>(bytes);
  return t;
}

token lexer::number() {
  const bool hex = rest_.size() > 2 && rest_[0] == '0' && (rest_[1] == 'x' || rest_[1] == 'X');
  std::size_t end = 0;
  while (end < rest_.size() && is_word_part(rest_[end]))
    ++end;
  const std::string_view digits = rest_.substr(hex ? 2 : 0, end - (hex ? 2 : 0));
  std::uint64_t value = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const bool whole = stop == digits.data() + digits.size() && !digits.empty();
  token t = take(whole ? token_kind::number : token_kind::bad, end);
  t.value = value;
  t.overflow = error == std::errc::result_out_of_range;
  return t;
}

token lexer::quoted() {
  std::size_t end = 1;
  while (end < rest_.size() && rest_[end] != '"' && rest_[end] != '\n') {
    const bool escape = rest_[end] == '\\' && end + 1 < rest_.size() && rest_[end + 1] != '\n';
    end += escape ? 2 : 1;
  }
  if (end < rest_.size() && rest_[end] == '"')
    return take(token_kind::quoted, end + 1);
  return take(token_kind::bad, std::min(rest_.find('\n'), rest_.size()));
}

token lexer::next() {
  skip_blanks();
  if (rest_.empty())
    return take(token_kind::file_end, 0);
  const char c = rest_.front();
  if (c == '\n') {
    const token t = take(token_kind::line_end, 1);
    ++line_;
    column_ = 1;
    return t;
  }
  if (c == '"')
    return quoted();
  if (is_digit(c))
    return number();
  if (is_letter(c)) {
    const auto* end = std::find_if_not(rest_.begin(), rest_.end(), is_word_part);
    return take(token_kind::word, static_cast<std::size_t>(end - rest_.begin()));
  }
  if (rest_.starts_with("->") || rest_.starts_with(".."))
    return take(token_kind::mark, 2);
  constexpr std::string_view marks = "{}:;,+-=.";
  return take(marks.find(c) != std::string_view::npos ? token_kind::mark : token_kind::bad, 1);
}

std::string shown(const token& t) {
  if (t.kind == token_kind::line_end)
    return "the end of the line";
  if (t.kind == token_kind::file_end)
    return "the end of the file";
  std::string text = "'";
  for (const char c : t.text.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text + (t.text.size() > 40 ? "…'" : "'");
}

std::string name_of(const token& t) {
  if (t.kind != token_kind::quoted)
    return std::string(t.text);
  std::string name;
  const std::string_view inner = t.text.substr(1, t.text.size() - 2);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      name += inner[i];
    } else if (inner[i + 1] == 'x' && i + 3 < inner.size() && hex_digit(inner[i + 2]) >= 0 &&
               hex_digit(inner[i + 3]) >= 0) {
      name += static_cast<char>(hex_digit(inner[i + 2]) * 16 + hex_digit(inner[i + 3]));
      i += 3;
    } else {
      name += inner[++i];
    }
  }
  return name;
}

} // namespace tacit::graphs::text
