// Changed lines that are as the style wants them already. Clang's formatter reads whole functions and takes longer than everything else
// together; most changed lines are a statement or a comment, and need no more than the indentation of the line that they stand before, and
// to be taken apart at the one place where the style allows it if they are too long.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clang::format {
struct FormatStyle;
} // namespace clang::format

namespace tacit::compiler {

class settled_lines {
public:
  explicit settled_lines(const clang::format::FormatStyle& style);

  /// The lines for a place of a text, indented; nothing if Clang has to look at them.
  std::optional<std::string> indented(std::string_view lines, std::string_view text, std::size_t place) const;

  /// The lines of the text that have a changed part are whole statements or comments, begin at one column, and fit.
  bool fit(std::string_view text, std::size_t from, std::size_t length) const;

private:
  std::size_t columns_of(std::string_view line) const;
  bool is_settled(std::string_view line) const;
  bool has_usual_form(std::string_view words) const;

  /// The line, or the two or more that it becomes where it is too long.
  std::optional<std::string> fitted(std::string_view indentation, std::string_view words) const;
  std::optional<std::string> broken_comment(std::string_view indentation, std::string_view words) const;
  /// In two, behind `=` or the brace behind it.
  std::optional<std::string> broken_assignment(std::string_view indentation, std::string_view words) const;

  bool usual_, pointers_left_;
  std::size_t width_, tab_;
  bool reflows_;             ///< comments
  std::string continuation_; ///< what a line's second half is indented by; empty: long statements are Clang's
  std::string step_;         ///< one level of indentation; empty: not known
};

} // namespace tacit::compiler
