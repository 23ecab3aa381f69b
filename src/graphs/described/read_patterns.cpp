// Reads descriptions of patterns: recursive descent with one token of look-ahead; ends of lines mean nothing, as every clause begins with
// a word of its own. After a mistake the rest up to the next clause is skipped, so that several are reported together. Any bytes may come
// in: nesting is bounded, every token is consumed once. Cost O(text).
#include "graphs/described/described.h"

#include "vocabulary/base/nearest.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace tacit::graphs {
namespace {

constexpr std::size_t most_errors = 20, most_names = 8, most_clauses = 64;
constexpr int deepest = 64;

enum class symbol_kind : std::uint8_t { word, number, quoted, mark, end, bad };

struct symbol {
  symbol_kind kind = symbol_kind::end;
  std::uint32_t line = 1, column = 1;
  std::string_view text; ///< quoted: with its quotes
  std::int64_t value = 0;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class scanner {
public:
  explicit scanner(std::string_view text) : rest_(text) {}

  symbol next() {
    skip_blanks();
    if (rest_.empty())
      return take(symbol_kind::end, 0);
    if (is_letter(rest_[0]))
      return take(symbol_kind::word, length_of([](char c) { return is_letter(c) || is_digit(c); }));
    if (is_digit(rest_[0]))
      return number();
    if (rest_[0] == '"')
      return quoted();
    constexpr std::array<std::string_view, 6> pairs{"<<", ">>", "==", "!=", "<=", ">="};
    for (const std::string_view p : pairs)
      if (rest_.starts_with(p))
        return take(symbol_kind::mark, 2);
    constexpr std::string_view marks = "+-*/%&|^<>(),:=";
    return take(marks.find(rest_[0]) != std::string_view::npos ? symbol_kind::mark : symbol_kind::bad, 1);
  }

private:
  template <typename Belongs>
  std::size_t length_of(Belongs&& belongs) const {
    return static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), belongs) - rest_.begin());
  }
  void skip_blanks() {
    while (!rest_.empty()) {
      if (rest_[0] == '#')
        pass(std::min(rest_.find('\n'), rest_.size()));
      else if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r' || rest_[0] == '\n')
        pass(1);
      else
        return;
    }
  }
  void pass(std::size_t bytes) {
    for (const char c : rest_.substr(0, bytes)) {
      column_ = c == '\n' ? 1 : column_ + 1;
      line_ += c == '\n' ? 1 : 0;
    }
    rest_.remove_prefix(bytes);
  }
  symbol take(symbol_kind kind, std::size_t bytes) {
    symbol s{kind, line_, column_, rest_.substr(0, bytes), 0};
    pass(bytes);
    return s;
  }
  symbol number() {
    symbol s = take(symbol_kind::number, length_of(is_digit));
    constexpr std::int64_t largest = std::int64_t{1} << 40;
    for (const char c : s.text) {
      s.value = s.value * 10 + (c - '0');
      if (s.value > largest)
        s.kind = symbol_kind::bad;
      s.value = std::min(s.value, largest);
    }
    return s;
  }
  symbol quoted() {
    const std::size_t end = rest_.find_first_of("\"\n", 1);
    if (end == std::string_view::npos || rest_[end] == '\n')
      return take(symbol_kind::bad, std::min(end, rest_.size()));
    return take(symbol_kind::quoted, end + 1);
  }

  std::string_view rest_;
  std::uint32_t line_ = 1, column_ = 1;
};

std::string shown(const symbol& s) {
  if (s.kind == symbol_kind::end)
    return "the end of the file";
  std::string text;
  for (const char c : s.text.substr(0, 40))
    text += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e
                ? fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)))
                : std::string(1, c);
  return s.kind == symbol_kind::quoted ? text : "'" + text + "'";
}

constexpr std::array<std::string_view, 17> reserved{"pattern", "says", "when", "let", "each", "where",
                                                    "sends",   "to",   "and",  "or",  "not",  "any",
                                                    "p",       "root", "min",  "max", "sqrt"};
constexpr std::array<std::string_view, 5> clauses{"pattern", "says", "when", "let", "each"};

/// Thrown inside the reader only: the clause cannot be understood; it is already reported.
struct give_up {};

class pattern_reader {
public:
  pattern_reader(std::string_view text, diagnostics& problems) : scanner_(text), problems_(problems) {
    advance();
  }

  std::optional<std::vector<described_pattern>> run() {
    try {
      head();
    } catch (const give_up&) {
      return std::nullopt;
    }
    while (now_.kind != symbol_kind::end && errors_ < most_errors) {
      try {
        clause();
      } catch (const give_up&) {
        while (now_.kind != symbol_kind::end && !begins_clause())
          advance();
      }
    }
    finish_pattern();
    if (errors_ > 0)
      return std::nullopt;
    return std::move(out_);
  }

private:
  void advance() { now_ = scanner_.next(); }
  bool at(std::string_view text) const {
    return (now_.kind == symbol_kind::word || now_.kind == symbol_kind::mark) && now_.text == text;
  }
  bool accept(std::string_view text) {
    if (!at(text))
      return false;
    advance();
    return true;
  }
  bool begins_clause() const {
    return std::any_of(clauses.begin(), clauses.end(), [&](std::string_view c) { return at(c); });
  }
  [[noreturn]] void fail(const symbol& where, std::string what, std::string remedy = {}) {
    note(where, std::move(what), std::move(remedy));
    throw give_up();
  }
  void note(const symbol& where, std::string what, std::string remedy = {}) {
    ++errors_;
    problems_.push_back(
        {.code = number(reason::bad_file),
         .level = severity::error,
         .message = fmt::format("line {}, column {}: {}", where.line, where.column, std::move(what)),
         .remedy = std::move(remedy)});
  }
  [[noreturn]] void expected(std::string_view what, std::string remedy = {}) {
    const bool long_number = now_.kind == symbol_kind::bad && is_digit(now_.text[0]);
    if (long_number)
      fail(now_, "the number is larger than 2^40");
    if (now_.kind == symbol_kind::bad && now_.text[0] == '"')
      fail(now_, "the text has no closing quote in its line");
    fail(now_, fmt::format("expected {}, found {}", what, shown(now_)), std::move(remedy));
  }
  void expect(std::string_view text, std::string_view form) {
    if (!accept(text))
      expected(fmt::format("'{}'", text), std::string(form));
  }
  std::string quoted(std::string_view what, std::string_view form) {
    if (now_.kind != symbol_kind::quoted)
      expected(what, std::string(form));
    const std::string text(now_.text.substr(1, now_.text.size() - 2));
    advance();
    return text;
  }
  std::string new_name(std::string_view what, std::string_view form) {
    if (now_.kind != symbol_kind::word)
      expected(what, std::string(form));
    if (std::find(reserved.begin(), reserved.end(), now_.text) != reserved.end())
      fail(now_, fmt::format("'{}' has a meaning of its own", now_.text), "choose another name");
    std::string text(now_.text);
    advance();
    return text;
  }

  // --- clauses
  void head() {
    constexpr std::string_view form = "begin the file with: tacit patterns 1";
    if (!accept("tacit") || !accept("patterns"))
      expected("'tacit patterns 1' as the first line", std::string(form));
    if (now_.kind != symbol_kind::number || now_.value != 1)
      expected("version 1 of the format", std::string(form));
    advance();
  }

  void clause() {
    const symbol where = now_;
    if (accept("pattern"))
      return begin_pattern(where);
    if (!begins_clause())
      expected("'pattern', 'says', 'when', 'let' or 'each'");
    if (!open_) {
      advance();
      fail(where, fmt::format("'{}' belongs to no pattern", where.text),
           "begin each pattern with: pattern \"NAME\"");
    }
    if (accept("says"))
      current_.says = quoted("what to report, in double quotes", "says \"TEXT\"");
    else if (accept("when"))
      when(where);
    else if (accept("let"))
      let();
    else if (accept("each"))
      each(where);
  }

  void begin_pattern(const symbol& where) {
    finish_pattern();
    where_ = where;
    current_ = {};
    names_ = {{"p", variable_p}, {"root", variable_root}};
    open_ = true;
    const symbol at_name = now_;
    current_.name = quoted("the name of the pattern, in double quotes", "pattern \"NAME\"");
    if (current_.name.empty())
      fail(at_name, "a pattern needs a name");
    for (const described_pattern& other : out_)
      if (other.name == current_.name)
        fail(at_name, fmt::format("there is a pattern \"{}\" already", current_.name));
  }

  void finish_pattern() {
    if (!open_)
      return;
    open_ = false;
    if (current_.sends.empty() && errors_ == 0)
      note(where_, fmt::format("pattern \"{}\" sends nothing", current_.name),
           "say who sends what: each r: sends block to (r + 1) % p");
    out_.push_back(std::move(current_));
  }

  void when(const symbol& where) {
    if (!current_.when.empty())
      fail(where, "a pattern has one 'when'", "join conditions by 'and'");
    current_.when = expression();
  }

  void let() {
    constexpr std::string_view form = "let NAME = EXPRESSION";
    const symbol at_name = now_;
    const std::string name = new_name("a name", form);
    if (names_.contains(name))
      fail(at_name, fmt::format("'{}' is known already", name), "choose another name");
    expect("=", form);
    rank_expression value = expression();
    names_[name] = current_.variables;
    current_.lets.emplace_back(current_.variables++, std::move(value));
    bound();
  }

  void bound() {
    if (current_.lets.size() + current_.sends.size() > most_clauses)
      fail(now_, fmt::format("a pattern has at most {} clauses", most_clauses));
  }

  void each(const symbol& where) {
    constexpr std::string_view form = "each r: sends block to (r + 1) % p";
    sending s;
    const auto outside = names_;
    try {
      do {
        const symbol at_name = now_;
        const std::string name = new_name("a name for the sender", form);
        if (names_.contains(name))
          fail(at_name, fmt::format("'{}' is known already", name), "choose another name");
        names_[name] = current_.variables;
        s.variables.push_back(current_.variables++);
      } while (accept(","));
      if (s.variables.size() > 2)
        fail(where, "'each' takes the sender and at most one more variable", std::string(form));
      if (accept("where"))
        s.where = expression();
      expect(":", form);
      expect("sends", form);
      s.length = length();
      expect("to", form);
      s.to = expression();
    } catch (const give_up&) {
      names_ = outside;
      throw;
    }
    names_ = outside;
    current_.sends.push_back(std::move(s));
    bound();
  }

  // --- lengths
  std::vector<length_part> length() {
    if (accept("any"))
      return {};
    std::vector<length_part> out;
    do
      out.push_back(part());
    while (accept("+"));
    return out;
  }

  length_part part() {
    if (now_.kind == symbol_kind::word)
      return {{{rank_operator::number, 1}}, length_name()};
    length_part out;
    if (now_.kind == symbol_kind::number) {
      out.times = {{rank_operator::number, now_.value}};
      advance();
    } else if (accept("(")) {
      out.times = expression();
      expect(")", "a number of bytes, or how many times a length: (EXPRESSION)");
    } else {
      expected("a length", "a length is a name, a number of bytes, 'any', or (EXPRESSION) * NAME");
    }
    if (accept("*"))
      out.name = length_name();
    return out;
  }

  std::uint32_t length_name() {
    const symbol at_name = now_;
    const std::string name =
        new_name("the name of a length", "a length is a name, a number of bytes, or 2 * NAME");
    if (names_.contains(name))
      fail(at_name, fmt::format("'{}' is a number, not the name of a length", name),
           fmt::format("write ({}) for so many bytes, or ({}) * NAME", name, name));
    const auto found = std::find(current_.lengths.begin(), current_.lengths.end(), name);
    if (found == current_.lengths.end() && current_.lengths.size() == most_names)
      fail(at_name, fmt::format("a pattern has at most {} names of lengths", most_names));
    const auto place = static_cast<std::uint32_t>(found - current_.lengths.begin());
    if (found == current_.lengths.end())
      current_.lengths.push_back(name);
    return place;
  }

  // --- expressions, as Python binds them: or, and, not, comparisons, |, ^, &, shifts, sums, products, signs
  struct level {
    std::string_view text;
    rank_operator what;
  };

  rank_expression expression() { return either(); }

  rank_expression either() {
    rank_expression left = both();
    while (accept("or"))
      join(left, both(), rank_operator::either);
    return left;
  }
  rank_expression both() {
    rank_expression left = inverted();
    while (accept("and"))
      join(left, inverted(), rank_operator::both);
    return left;
  }
  rank_expression inverted() {
    bool odd = false, any = false;
    while (accept("not")) {
      odd = !odd;
      any = true;
    }
    rank_expression e = comparison();
    for (int i = 0; i < (any ? (odd ? 1 : 2) : 0); ++i) // twice makes a truth of a number
      e.push_back({rank_operator::invert, 0});
    return e;
  }
  rank_expression comparison() {
    constexpr std::array<level, 6> all{level{"==", rank_operator::equal}, {"!=", rank_operator::unequal},
                                       {"<", rank_operator::less},        {"<=", rank_operator::at_most},
                                       {">", rank_operator::more},        {">=", rank_operator::at_least}};
    rank_expression left = binary(0);
    if (const std::optional<rank_operator> what = one_of(all)) {
      join(left, binary(0), *what);
      if (one_of(all))
        fail(now_, "comparisons do not follow each other", "join them by 'and': a < b and b < c");
    }
    if (at("="))
      fail(now_, "'=' compares nothing", "write ==");
    return left;
  }
  rank_expression binary(std::size_t depth) {
    static constexpr std::array<level, 10> all{
        level{"|", rank_operator::bit_or}, {"^", rank_operator::bit_xor},      {"&", rank_operator::bit_and},
        {"<<", rank_operator::shift_left}, {">>", rank_operator::shift_right}, {"+", rank_operator::add},
        {"-", rank_operator::subtract},    {"*", rank_operator::multiply},     {"/", rank_operator::divide},
        {"%", rank_operator::remainder}};
    static constexpr std::array<std::pair<std::size_t, std::size_t>, 6> levels{
        std::pair{0u, 1u}, {1u, 2u}, {2u, 3u}, {3u, 5u}, {5u, 7u}, {7u, 10u}};
    if (depth == levels.size())
      return sign();
    const std::span<const level> here(all.data() + levels[depth].first,
                                      levels[depth].second - levels[depth].first);
    rank_expression left = binary(depth + 1);
    while (const std::optional<rank_operator> what = one_of(here))
      join(left, binary(depth + 1), *what);
    return left;
  }
  rank_expression sign() {
    bool minus = false;
    while (at("-") || at("+")) {
      minus ^= at("-");
      advance();
    }
    rank_expression e = primary();
    if (minus)
      e.push_back({rank_operator::negate, 0});
    return e;
  }
  rank_expression primary() {
    if (now_.kind == symbol_kind::number) {
      const rank_expression e{{rank_operator::number, now_.value}};
      advance();
      return e;
    }
    if (at("min") || at("max") || at("sqrt"))
      return function();
    if (now_.kind == symbol_kind::word)
      return variable();
    if (!at("("))
      expected("a number, a variable or '('");
    const nesting deeper(*this);
    advance();
    rank_expression e = expression();
    expect(")", "close every '('");
    return e;
  }
  rank_expression function() {
    const std::string_view name = now_.text;
    const nesting deeper(*this);
    advance();
    expect("(", fmt::format("{}({})", name, name == "sqrt" ? "EXPRESSION" : "EXPRESSION, EXPRESSION"));
    rank_expression e = expression();
    if (name == "sqrt") {
      e.push_back({rank_operator::square_root, 0});
    } else {
      expect(",", fmt::format("{}(EXPRESSION, EXPRESSION)", name));
      join(e, expression(), name == "min" ? rank_operator::minimum : rank_operator::maximum);
    }
    expect(")", "close every '('");
    return e;
  }
  rank_expression variable() {
    const auto found = names_.find(std::string(now_.text));
    if (found == names_.end()) {
      if (std::find(reserved.begin(), reserved.end(), now_.text) != reserved.end())
        expected("a number, a variable or '('");
      std::vector<std::string_view> known;
      for (const auto& [name, slot] : names_)
        known.push_back(name);
      fail(now_, fmt::format("there is no variable '{}' here{}", now_.text, did_you_mean(now_.text, known)),
           "variables are p, root, those of 'let' and those of the 'each' itself");
    }
    current_.rooted = current_.rooted || found->second == variable_root;
    advance();
    return {{rank_operator::variable, found->second}};
  }
  std::optional<rank_operator> one_of(std::span<const level> all) {
    for (const level& l : all)
      if (accept(l.text))
        return l.what;
    return std::nullopt;
  }
  static void join(rank_expression& left, const rank_expression& right, rank_operator what) {
    left.insert(left.end(), right.begin(), right.end());
    left.push_back({what, 0});
  }
  struct nesting {
    explicit nesting(pattern_reader& r) : reader(r) {
      if (++reader.depth_ > deepest) {
        --reader.depth_;
        reader.fail(reader.now_, fmt::format("more than {} levels of parentheses", deepest));
      }
    }
    ~nesting() { --reader.depth_; }
    nesting(const nesting&) = delete;
    nesting& operator=(const nesting&) = delete;
    pattern_reader& reader;
  };

  scanner scanner_;
  diagnostics& problems_;
  symbol now_, where_;
  std::vector<described_pattern> out_;
  described_pattern current_;
  std::map<std::string, std::uint32_t> names_; ///< variables
  bool open_ = false;
  int depth_ = 0;
  std::size_t errors_ = 0;
};

} // namespace

std::optional<std::vector<described_pattern>> read_patterns(std::string_view text, diagnostics& problems) {
  return pattern_reader(text, problems).run();
}

} // namespace tacit::graphs
