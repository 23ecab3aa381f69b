#include "compiler/annotate/settled_lines.h"

#include "compiler/annotate/line_diff.h"

#include <algorithm>
#include <array>
#include <clang/Format/Format.h>
#include <limits>

namespace tacit::compiler {
namespace {

using clang::format::FormatStyle;

/// Simple statements look as we write them.
bool has_usual_spaces(const FormatStyle& s) {
  const bool parentheses = s.SpaceBeforeParens == FormatStyle::SBPO_Never ||
                           s.SpaceBeforeParens == FormatStyle::SBPO_ControlStatements ||
                           s.SpaceBeforeParens == FormatStyle::SBPO_ControlStatementsExceptControlMacros;
  return parentheses && s.SpacesInParens == FormatStyle::SIPO_Never && s.Cpp11BracedListStyle &&
         !s.SpaceBeforeCpp11BracedList && s.SpaceBeforeAssignmentOperators && !s.SpaceBeforeSquareBrackets &&
         !s.SpacesInSquareBrackets && !s.AlignConsecutiveAssignments.Enabled &&
         !s.AlignConsecutiveDeclarations.Enabled && !s.ObjCSpaceAfterProperty;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view()
                                         : line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::string_view indentation_of(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t"));
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// What makes more of a line than a statement of its own.
bool begins_with_keyword(std::string_view line) {
  constexpr std::array<std::string_view, 9> keywords = {"if",     "else", "for",    "while",  "do",
                                                        "switch", "case", "return", "default"};
  return std::any_of(keywords.begin(), keywords.end(), [&](std::string_view word) {
    return line.starts_with(word) && (line.size() == word.size() || !is_word(line[word.size()]));
  });
}

/// Where a long statement is taken apart the same way whatever else the style says.
bool breaks_as_usual(const FormatStyle& s) {
  return s.PenaltyBreakAssignment == clang::format::getLLVMStyle().PenaltyBreakAssignment &&
         s.BreakBeforeBinaryOperators == FormatStyle::BOS_None &&
         s.AlignAfterOpenBracket == FormatStyle::BAS_Align;
}

/// A list of several things is taken apart between them.
bool has_comma_outside_parentheses(std::string_view value) {
  int open = 0;
  for (const char c : value) {
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (open == 0 && c == ',')
      return true;
  }
  return false;
}

/// Parentheses and brackets are closed in the line, and braces are those of one initializer.
bool is_closed(std::string_view line) {
  int open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (open < 0 || c == '"' || c == '\'' || c == '\\')
      return false;
    if ((c == '{' && (i < 2 || line.substr(i - 2, 2) != "= ")) || (c == '}' && line.substr(i) != "};"))
      return false;
  }
  return open == 0;
}

bool has_spaced_commas(std::string_view line) {
  for (std::size_t i = 0; i + 1 < line.size(); ++i)
    if (line[i] == ',' && line[i + 1] != ' ')
      return false;
  return true;
}

/// Products have blanks on both sides; a pointer is `type* name`, where the style has it so; what a pointer leads to stands behind a bracket.
bool has_usual_stars(std::string_view line, bool pointers_left) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '*')
      continue;
    const bool behind = i + 1 < line.size() && line[i + 1] == ' ';
    const bool product = i > 0 && line[i - 1] == ' ' && behind;
    const bool pointer = i > 0 && is_word(line[i - 1]) && behind && pointers_left;
    const bool value =
        i > 0 && (line[i - 1] == '{' || line[i - 1] == '(') && i + 1 < line.size() && is_word(line[i + 1]);
    if (!product && !pointer && !value)
      return false;
  }
  return true;
}

} // namespace

settled_lines::settled_lines(const FormatStyle& style)
    : usual_(has_usual_spaces(style)), pointers_left_(style.PointerAlignment == FormatStyle::PAS_Left),
      width_(style.ColumnLimit == 0 ? std::numeric_limits<std::size_t>::max() : style.ColumnLimit),
      tab_(style.TabWidth), reflows_(style.ReflowComments),
      continuation_(
          breaks_as_usual(style) && style.UseTab == FormatStyle::UT_Never ? style.ContinuationIndentWidth : 0,
          ' '),
      step_(style.UseTab == FormatStyle::UT_Never ? style.IndentWidth : 0, ' ') {}

std::size_t settled_lines::columns_of(std::string_view line) const {
  std::size_t columns = 0;
  for (const char c : line)
    columns += c == '\t' ? tab_ : c == '\n' || c == '\r' ? 0 : 1;
  return columns;
}

bool settled_lines::is_settled(std::string_view line) const {
  return columns_of(line) <= width_ && has_usual_form(trimmed(line));
}

/// A comment or a statement of its own.
bool settled_lines::has_usual_form(std::string_view words) const {
  if (words.starts_with("/*"))
    return words.find("*/") == words.size() - 2;
  if (!words.ends_with(';') || words.find(';') != words.size() - 1 || begins_with_keyword(words))
    return false;
  return is_closed(words) && has_spaced_commas(words) && has_usual_stars(words, pointers_left_);
}

std::optional<std::string> settled_lines::fitted(std::string_view indentation, std::string_view words) const {
  std::string whole = std::string(indentation) + std::string(words);
  if (!has_usual_form(words))
    return std::nullopt;
  if (columns_of(whole) <= width_)
    return whole;
  return words.starts_with("/*") ? broken_comment(indentation, words) : broken_assignment(indentation, words);
}

std::optional<std::string> settled_lines::broken_comment(std::string_view indentation,
                                                         std::string_view words) const {
  std::string made(indentation);
  if (!reflows_)
    return made += words;
  std::size_t columns = columns_of(indentation);
  const std::size_t begin = columns;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::size_t blank = at > 0 ? 1 : 0;
    const bool last = words.substr(end) == " */"; // which stays with it
    const std::size_t with_end = columns + blank + end - at + (last ? 3 : 0);
    if (with_end > width_ && last && with_end - 3 <= width_)
      return std::nullopt;
    if (with_end > width_ && at > 0) {
      ((made += '\n') += indentation) += " *";
      columns = begin + 2;
    }
    if (columns + 1 + end - at + (last ? 3 : 0) > width_)
      return std::nullopt;
    made += at > 0 ? " " : "";
    made += words.substr(at, end - at);
    columns += blank + end - at;
    if (last)
      return made += " */";
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> settled_lines::broken_assignment(std::string_view indentation,
                                                            std::string_view words) const {
  const std::size_t equals = words.find(" = ");
  if (continuation_.empty() || equals == std::string_view::npos)
    return std::nullopt;
  const std::size_t first = equals + (words.substr(equals).starts_with(" = {") ? 4 : 2);
  const std::string_view value = trimmed(words.substr(first));
  const std::string second = std::string(indentation) + continuation_ + std::string(value);
  const bool call =
      is_word(value.front()) && value.find('(') != std::string_view::npos; // operators may break elsewhere
  if (columns_of(indentation) + first > width_ || columns_of(second) > width_ ||
      !(call || words[first - 1] == '{') || value.find(" = ") != std::string_view::npos ||
      has_comma_outside_parentheses(value))
    return std::nullopt;
  return std::string(indentation) + std::string(words.substr(0, first)) + "\n" + second;
}

std::optional<std::string> settled_lines::indented(std::string_view lines, std::string_view text,
                                                   std::size_t place) const {
  if (lines.starts_with('\n') &&
      text.substr(place).starts_with('\n')) { // behind a line: in front of the next one
    const auto made = indented(std::string(lines.substr(1)) + "\n", text, place + 1);
    return made ? std::optional("\n" + made->substr(0, made->size() - 1)) : std::nullopt;
  }
  const bool at_line = place == 0 || text[place - 1] == '\n';
  if (!usual_ || !at_line || !lines.ends_with('\n'))
    return std::nullopt;
  std::string_view next;
  bool directive = false; // and the lines that it goes on in
  for (std::size_t at = place; at < text.size() && next.empty(); at = text.find('\n', at) + 1) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos)
      return std::nullopt;
    const std::string_view line = text.substr(at, end - at);
    const bool goes_on = trimmed(line).ends_with('\\');
    if (!directive && !trimmed(line).starts_with('#') && !trimmed(line).empty())
      next = line;
    directive = (directive || trimmed(line).starts_with('#')) && goes_on;
  }
  const std::string_view words = trimmed(next);
  // A comment may stand anywhere, and labels and branches do not stand where statements do.
  if (words.empty() || words.starts_with('/') || words.starts_with("else") || words.starts_with("case") ||
      words.starts_with("default"))
    return std::nullopt;
  std::string indentation(next.substr(0, next.find_first_not_of(" \t")));
  if (words.starts_with('}')) {
    if (step_.empty())
      return std::nullopt;
    indentation += step_;
  }
  std::string made;
  for (const std::string_view line : lines_of(lines)) {
    const auto whole = fitted(indentation, trimmed(line));
    if (!whole)
      return std::nullopt;
    made += *whole + '\n';
  }
  return made;
}

bool settled_lines::fit(std::string_view text, std::size_t from, std::size_t length) const {
  if (!usual_)
    return false;
  const std::size_t before = from == 0 ? std::string_view::npos : text.rfind('\n', from - 1);
  std::size_t at = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view indentation = indentation_of(text.substr(at));
  while (at < from + length) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (!is_settled(line) || indentation_of(line) != indentation)
      return false;
    at = end + 1;
  }
  return true;
}

} // namespace tacit::compiler
