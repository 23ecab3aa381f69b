// Tokens of the graph text format: words, numbers, quoted names, marks, ends of lines. Any bytes are
// accepted; what is no token of the format becomes one of kind `bad`, to be reported where it stands. One
// pass, no copies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::graphs::text {

enum class token_kind : std::uint8_t { word, number, quoted, mark, line_end, file_end, bad };

struct token {
  token_kind kind = token_kind::file_end;
  bool overflow = false;    ///< number: does not fit in 64 bits
  std::uint32_t line = 1;   ///< from 1
  std::uint32_t column = 1; ///< from 1, in bytes
  std::uint64_t value = 0;  ///< number
  std::string_view text;    ///< as written; quoted: with its quotes
};

class lexer {
public:
  explicit lexer(std::string_view text) : rest_(text) {}
  token next();

private:
  void skip_blanks();
  token take(token_kind kind, std::size_t bytes);
  token number();
  token quoted();

  std::string_view rest_;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

/// A token as it is shown in a message: short, printable, quoted.
std::string shown(const token& t);
/// The name that a word or a quoted token stands for.
std::string name_of(const token& t);

} // namespace tacit::graphs::text
