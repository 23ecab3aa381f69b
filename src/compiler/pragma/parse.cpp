// Recursive descent over characters. Names of the language are C identifiers; types and expressions of C and C++ are not
// understood but only delimited: up to a comma or parenthesis that no bracket, string or character literal encloses. Each
// step consumes a character or ends, so that the parser terminates; it looks at no character more than a few times.
#include "compiler/pragma/parse.h"

#include "vocabulary/base/nearest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace tacit::compiler {
namespace {

constexpr std::array<std::pair<std::string_view, annotation_kind>, 6> kinds{{
    {"osc_coalesce", annotation_kind::osc_coalesce},
    {"cco", annotation_kind::cco},
    {"rma", annotation_kind::rma},
    {"local_ldst", annotation_kind::local_ldst},
    {"indep", annotation_kind::indep},
    {"overlap", annotation_kind::overlap},
}};

// The paper writes MPI_SendRecv in its figures, and MPI's own name is MPI_Sendrecv.
constexpr std::array<std::pair<std::string_view, group_call>, 9> point_to_point{{
    {"MPI_Send", group_call::send},
    {"MPI_Recv", group_call::recv},
    {"MPI_Wait", group_call::wait},
    {"MPI_Win", group_call::window},
    {"MPI_SendRecv", group_call::sendrecv},
    {"MPI_Sendrecv", group_call::sendrecv},
    {"MPI_Isend", group_call::send},
    {"MPI_Irecv", group_call::recv},
    {"MPI_Waitall", group_call::wait},
}};

constexpr std::array<std::string_view, 8> collectives{"MPI_Alltoall",  "MPI_Alltoallv", "MPI_Allgather",
                                                      "MPI_Allreduce", "MPI_Bcast",     "MPI_Reduce",
                                                      "MPI_Gather",    "MPI_Scatter"};

constexpr std::array<std::pair<std::string_view, wish>, 4> wishes{
    {{"never", wish::never}, {"always", wish::always}, {"puts", wish::puts}, {"measured", wish::measured}}};

bool has_windows(annotation_kind kind) {
  return kind == annotation_kind::osc_coalesce || kind == annotation_kind::rma ||
         kind == annotation_kind::local_ldst;
}

/// The words that may stand behind the lists of an annotation.
std::vector<std::string_view> clauses_of(annotation_kind kind) {
  switch (kind) {
  case annotation_kind::osc_coalesce:
    return {"no_overlap", "collective", "factor", "memory", "never", "always", "transformed"};
  case annotation_kind::local_ldst:
    return {"no_overlap", "coherent", "incoherent", "transformed"};
  case annotation_kind::rma:
    return {"coherent", "incoherent", "transformed"};
  case annotation_kind::overlap:
    return {"never", "always", "puts", "measured", "transformed"};
  case annotation_kind::cco:
    return {"always", "transformed"};
  default:
    return {"transformed"};
  }
}

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/// As long as the literal that starts here, or as what there is of it.
std::size_t literal_length(std::string_view text) {
  std::size_t i = 1;
  while (i < text.size() && text[i] != text[0] && text[i] != '\n')
    i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

/// Blanks for the ends of continued lines and for comments, so that all else stays in its place.
std::string without_comments(std::string_view text) {
  std::string made(text);
  for (std::size_t i = 0; i + 1 < made.size(); ++i)
    if (made[i] == '\\' && (made[i + 1] == '\n' || made[i + 1] == '\r'))
      made[i] = made[i + 1] = ' ';
  const auto blank_out = [&](std::size_t from, std::string_view end) {
    const std::size_t found = made.find(end, from + 2);
    const std::size_t stop = found == std::string::npos ? made.size() : found + end.size();
    std::fill(made.begin() + static_cast<std::ptrdiff_t>(from),
              made.begin() + static_cast<std::ptrdiff_t>(stop), ' ');
  };
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string_view rest = std::string_view(made).substr(i);
    if (rest[0] == '"' || rest[0] == '\'')
      i += literal_length(rest) - 1;
    else if (rest.starts_with("/*"))
      blank_out(i, "*/");
    else if (rest.starts_with("//"))
      blank_out(i, "\n");
  }
  return made;
}

/// Words that stand beside another one in expressions and names, so that no comma is missing between them.
bool goes_beside_another(std::string_view word) {
  constexpr std::string_view known[] = {
      "sizeof",   "alignof",  "_Alignof", "__alignof__", "not",    "compl",    "and",      "or",    "xor",
      "bitand",   "bitor",    "not_eq",   "new",         "struct", "class",    "union",    "enum",  "const",
      "volatile", "template", "typename", "operator",    "throw",  "co_await", "co_yield", "delete"};
  return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

/// Thrown and caught in this file only.
struct fault {
  std::size_t at;
  std::string problem;
};

class parser {
public:
  explicit parser(std::string_view text) : plain_(without_comments(text)), text_(plain_) {}

  annotation parse() {
    made_.kind = parse_kind();
    if (has_windows(made_.kind))
      parse_windows();
    else
      parse_groups();
    return std::move(made_);
  }

  /// What was understood of the kind until something was wrong.
  std::optional<annotation_kind> kind() const { return kind_; }

private:
  [[noreturn]] static void fail(std::size_t at, std::string problem) { throw fault{at, std::move(problem)}; }

  bool at_end() const { return position_ >= text_.size(); }
  char current() const { return at_end() ? '\0' : text_[position_]; }

  void skip_blanks() {
    while (is_blank(current()))
      ++position_;
  }

  std::string found() {
    skip_blanks();
    if (at_end())
      return "the end of the line";
    if (!starts_name(current()))
      return std::string("'") + current() + "'";
    const std::size_t from = position_;
    std::size_t to = from;
    while (to < text_.size() && continues_name(text_[to]))
      ++to;
    return "'" + std::string(text_.substr(from, to - from)) + "'";
  }

  void expect(char c, const std::string& where) {
    const std::string instead = found();
    if (current() != c)
      fail(position_, std::string("expected '") + c + "' " + where + ", found " + instead);
    ++position_;
  }

  /// An identifier, or empty.
  written parse_word() {
    skip_blanks();
    written word{"", position_};
    if (!starts_name(current()))
      return word;
    while (continues_name(current()))
      word.text += text_[position_++];
    return word;
  }

  annotation_kind parse_kind() {
    const written word = parse_word();
    std::vector<std::string_view> names;
    for (const auto& [name, kind] : kinds) {
      names.push_back(name);
      if (word.text == name)
        return *(kind_ = kind);
    }
    if (word.text.empty())
      fail(position_, "expected an annotation, found " + found());
    fail(word.at, "there is no annotation '" + word.text + "'" + vocabulary::did_you_mean(word.text, names));
  }

  void skip_literal() {
    const std::string_view literal = text_.substr(position_, literal_length(text_.substr(position_)));
    if (literal.size() < 2 || literal.back() != literal[0])
      fail(position_, "this literal has no end");
    position_ += literal.size();
  }

  /// Two names, or a number and a name, with nothing but blanks between: `c d` for `c, d`. Types may have several words.
  void refuse_missing_comma(std::size_t from) {
    std::string_view before = text_.substr(from, position_ - from);
    while (!before.empty() && is_blank(before.back()))
      before.remove_suffix(1);
    std::size_t start = before.size();
    while (start > 0 && continues_name(before[start - 1]))
      --start;
    before.remove_prefix(start);
    std::size_t end = position_;
    while (end < text_.size() && continues_name(text_[end]))
      ++end;
    if (!before.empty() && end > position_ && position_ > 0 && is_blank(text_[position_ - 1]) &&
        !goes_beside_another(before) && !goes_beside_another(text_.substr(position_, end - position_)))
      fail(position_, "expected ',' behind '" + std::string(before) + "', found " + found());
  }

  /// Up to a comma or the parenthesis that closes the list. `types`: angles are brackets, too.
  written parse_item(const std::string& what, bool types) {
    skip_blanks();
    const std::size_t from = position_;
    std::string open;
    std::vector<std::size_t> opened;
    for (skip_blanks(); !at_end(); skip_blanks()) {
      const char c = current();
      if (open.empty() && (c == ',' || c == ')'))
        break;
      if (open.empty() && !types)
        refuse_missing_comma(from);
      if (c == '"' || c == '\'') {
        skip_literal();
        continue;
      }
      if (c == '(' || c == '[' || c == '{' || (types && c == '<')) {
        open += c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
        opened.push_back(position_);
      } else if (c == ')' || c == ']' || c == '}' || (types && c == '>')) {
        if (open.empty() || open.back() != c)
          fail(position_, std::string("nothing opened this '") + c + "'");
        open.pop_back();
        opened.pop_back();
      }
      ++position_;
    }
    if (!open.empty())
      fail(opened.back(), std::string("there is no '") + open.back() +
                              "' to this bracket; a pragma goes on in the next line behind a backslash");
    std::string_view text = text_.substr(from, std::min(position_, text_.size()) - from);
    while (!text.empty() && is_blank(text.back()))
      text.remove_suffix(1);
    if (text.empty())
      fail(from, "expected " + what + ", found " + found());
    return {std::string(text), from};
  }

  /// A name, or the way to a member or an element: what a window or a buffer is called.
  written parse_lvalue(const std::string& what) {
    written item = parse_item(what, false);
    if (!starts_name(item.text[0]) && std::string_view(":*&(").find(item.text[0]) == std::string_view::npos)
      fail(item.at, "expected " + what + ", found '" + item.text + "'");
    return item;
  }

  void parse_window() {
    window_buffer made;
    expect('(', "before a window");
    made.window = parse_lvalue("a window");
    expect(',', "behind the window");
    made.buffer = parse_lvalue("the buffer of the window");
    expect(',', "behind the buffer");
    made.type = parse_item("the type of the buffer's elements", true);
    expect(',', "behind the type");
    for (;;) {
      made.more.push_back(parse_lvalue("an MPI datatype or another name"));
      if (found() != "','")
        break;
      ++position_;
    }
    expect(')', "at the end of a window's list");
    made_.windows.push_back(std::move(made));
  }

  void parse_windows() {
    while (found() == "'('")
      parse_window();
    if (made_.windows.empty() && !is_list_over())
      fail(position_, "expected a window in parentheses, found " + found());
    parse_clauses();
  }

  /// The paper's grammar has empty lists.
  bool is_list_over() {
    skip_blanks();
    const std::size_t before = position_;
    const std::vector<std::string_view> clauses = clauses_of(made_.kind);
    const bool over =
        at_end() || std::find(clauses.begin(), clauses.end(), parse_word().text) != clauses.end();
    position_ = before;
    return over;
  }

  bool takes_collectives() const {
    return made_.kind == annotation_kind::overlap || made_.kind == annotation_kind::indep;
  }

  std::optional<group_call> call_named(std::string_view name) const {
    if (made_.kind != annotation_kind::overlap)
      for (const auto& [known, call] : point_to_point)
        if (known == name)
          return call;
    return takes_collectives() && std::find(collectives.begin(), collectives.end(), name) != collectives.end()
               ? std::optional(group_call::collective)
               : std::nullopt;
  }

  std::vector<std::string_view> calls_known() const {
    std::vector<std::string_view> names;
    if (made_.kind != annotation_kind::overlap)
      for (const auto& [name, call] : point_to_point)
        names.push_back(name);
    if (takes_collectives())
      names.insert(names.end(), collectives.begin(), collectives.end());
    return names;
  }

  void parse_groups() {
    for (;;) {
      const std::size_t before = position_;
      written name = parse_word();
      const auto call = call_named(name.text);
      if (!call) {
        const std::vector<std::string_view> clauses = clauses_of(made_.kind);
        const bool is_clause = std::find(clauses.begin(), clauses.end(), name.text) != clauses.end();
        if (!name.text.empty() && !is_clause) {
          std::vector<std::string_view> names = calls_known();
          names.insert(names.end(), clauses.begin(), clauses.end());
          fail(name.at, "'" + name.text + "' is no communication that can be named here" +
                            vocabulary::did_you_mean(name.text, names));
        }
        position_ = before;
        break;
      }
      made_.groups.push_back({*call, std::move(name), parse_expressions()});
    }
    if (made_.groups.empty() && !is_list_over())
      fail(position_,
           "expected a communication such as " + std::string(calls_known()[0]) + ", found " + found());
    parse_clauses();
  }

  std::vector<written> parse_expressions() {
    std::vector<written> made;
    if (found() != "'('")
      return made;
    ++position_;
    if (found() == "')'")
      fail(position_,
           "expected an expression, found ')'; without parentheses all calls of the kind are named");
    for (;;) {
      made.push_back(parse_item("an expression", false));
      if (found() != "','")
        break;
      ++position_;
    }
    expect(')', "at the end of the expressions");
    return made;
  }

  std::uint64_t parse_number(std::string_view of) {
    expect('(', "behind " + std::string(of));
    skip_blanks();
    std::uint64_t value = 0;
    const std::size_t from = position_;
    const auto [stop, error] = std::from_chars(text_.data() + from, text_.data() + text_.size(), value);
    constexpr std::uint64_t largest =
        std::numeric_limits<std::int64_t>::max(); // the run time takes a long long
    if (error == std::errc::result_out_of_range || (error == std::errc{} && value > largest))
      fail(from,
           "the number is too large: " + std::string(of) + " can be " + std::to_string(largest) + " at most");
    if (error != std::errc{} || value == 0)
      fail(from, "expected a positive number, found " + found());
    position_ = static_cast<std::size_t>(stop - text_.data());
    expect(')', "behind the number");
    return value;
  }

  void parse_clauses() {
    for (skip_blanks(); !at_end(); skip_blanks()) {
      const written word = parse_word();
      const std::vector<std::string_view> known = clauses_of(made_.kind);
      if (word.text.empty())
        fail(position_, "expected the end of the pragma, found " + found());
      if (std::find(known.begin(), known.end(), word.text) == known.end())
        fail(word.at, "'" + word.text + "' cannot stand here" + vocabulary::did_you_mean(word.text, known));
      take_clause(word);
    }
  }

  void take_clause(const written& word) {
    if (word.text == "no_overlap")
      made_.no_overlap = true;
    else if (word.text == "transformed")
      made_.transformed = true;
    else if (word.text == "collective")
      made_.collective = true;
    else if (word.text == "factor")
      made_.factor = parse_number(word.text);
    else if (word.text == "memory")
      made_.memory_limit = parse_number(word.text);
    else if (take_wish(word))
      return;
    else if (made_.caches != coherence::as_platform)
      fail(word.at, "coherence was said already");
    else
      made_.caches = word.text == "coherent" ? coherence::coherent : coherence::incoherent;
  }

  bool take_wish(const written& word) {
    for (const auto& [name, meant] : wishes)
      if (word.text == name) {
        if (made_.when != wish::as_platform)
          fail(word.at, "whether it is done was said already");
        made_.when = meant;
        return true;
      }
    return false;
  }

  std::string plain_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::optional<annotation_kind> kind_;
  annotation made_;
};

void write_items(std::string& into, const std::vector<written>& items) {
  for (std::size_t i = 0; i < items.size(); ++i)
    into += (i == 0 ? "" : ", ") + items[i].text;
}

} // namespace

std::string_view word_of(annotation_kind kind) {
  for (const auto& [name, known] : kinds)
    if (known == kind)
      return name;
  return "";
}

std::string form_of(annotation_kind kind) {
  const std::string start = "#pragma mpi " + std::string(word_of(kind));
  const std::string window = " (WINDOW, BUFFER, TYPE, MPI_DATATYPE[, NAME]...)...";
  switch (kind) {
  case annotation_kind::osc_coalesce:
    return start + window + " [no_overlap] [collective] [factor(N)] [memory(BYTES)] [never|always]";
  case annotation_kind::local_ldst:
    return start + window + " [no_overlap] [coherent|incoherent]";
  case annotation_kind::rma:
    return start + window + " [coherent|incoherent]";
  case annotation_kind::overlap:
    return start + " MPI_Alltoall[(EXPRESSION, ...)]... [never|always|puts|measured]";
  default:
    return start + " MPI_Send|MPI_Recv|MPI_SendRecv|MPI_Wait|MPI_Win[(EXPRESSION, ...)]...";
  }
}

parsed_pragma parse_pragma(std::string_view text) {
  parser reader(text);
  try {
    return {reader.parse(), {}};
  } catch (const fault& wrong) {
    const std::string form = reader.kind() ? form_of(*reader.kind())
                                           : "#pragma mpi osc_coalesce|cco|rma|local_ldst|indep|overlap ...";
    return {std::nullopt, {std::min(wrong.at, text.size()), wrong.problem, form}};
  }
}

std::string write_pragma(const annotation& says) {
  std::string made(word_of(says.kind));
  for (const window_buffer& w : says.windows) {
    made += " (" + w.window.text + ", " + w.buffer.text + ", " + w.type.text + ", ";
    write_items(made, w.more);
    made += ")";
  }
  for (const communication_group& g : says.groups) {
    made += " " + g.name.text;
    if (g.expressions.empty())
      continue;
    made += "(";
    write_items(made, g.expressions);
    made += ")";
  }
  if (says.no_overlap)
    made += " no_overlap";
  if (says.collective)
    made += " collective";
  if (says.factor)
    made += " factor(" + std::to_string(*says.factor) + ")";
  if (says.memory_limit)
    made += " memory(" + std::to_string(*says.memory_limit) + ")";
  if (says.caches != coherence::as_platform)
    made += says.caches == coherence::coherent ? " coherent" : " incoherent";
  for (const auto& [name, meant] : wishes)
    if (says.when == meant)
      made += " " + std::string(name);
  if (says.transformed)
    made += " transformed";
  return made;
}

} // namespace tacit::compiler
