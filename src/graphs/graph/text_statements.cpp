// One pass over the tokens with one token of look-ahead. After an error the rest of the statement is skipped, so that several
// mistakes are reported together.
//
// Any bytes may come in: memory is bounded by a constant times the text plus the stated limits on ranks and
// members, recursion does not occur, every token is consumed once. Cost O(text).
#include "graphs/graph/text_statements.h"

#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs::text {
namespace {

constexpr std::uint64_t most_ranks = 1u << 24;    // a group of all ranks is stored: 4 bytes each
constexpr std::uint64_t most_members = 1u << 24;  // of all communicators together, beyond the world
constexpr std::size_t most_communicators = 65535; // comm_id has 16 bits
constexpr std::size_t most_errors = 20;

/// Thrown inside the reader only: the statement cannot be understood; it is already reported.
struct give_up {};

class statement_reader {
public:
  statement_reader(std::string_view source, text_problems& problems) : lexer_(source), problems_(problems) {
    token_ = lexer_.next();
  }

  std::optional<parsed_graph> run() {
    try {
      head();
    } catch (const give_up&) {
      return std::nullopt;
    }
    while (token_.kind != token_kind::file_end && !problems_.are_enough()) {
      try {
        statement_or_blank();
      } catch (const give_up&) {
        skip_statement();
      }
    }
    if (in_block_ && !problems_.any())
      problems_.report(token_, "expected '}' that closes the block of a rank, found the end of the file");
    if (problems_.any())
      return std::nullopt;
    return std::move(out_);
  }

private:
  // Words and marks.

  template <typename... Remedy>
  [[noreturn]] void fail(const token& at, const std::string& what, Remedy&&... remedy) {
    problems_.report(at, what, std::forward<Remedy>(remedy)...);
    throw give_up{};
  }
  [[noreturn]] void expected(const std::string& what) {
    fail(token_, fmt::format("expected {}, found {}", what, shown(token_)));
  }
  token advance() {
    const token t = token_;
    token_ = lexer_.next();
    return t;
  }
  bool at(std::string_view text) const {
    return (token_.kind == token_kind::word || token_.kind == token_kind::mark) && token_.text == text;
  }
  bool accept(std::string_view text) {
    if (!at(text))
      return false;
    advance();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      expected(fmt::format("'{}'", text));
  }
  std::uint64_t number_up_to(std::uint64_t limit, std::string_view what) {
    if (token_.kind != token_kind::number)
      expected(std::string(what));
    if (token_.overflow || token_.value > limit)
      fail(token_, fmt::format("{} {} is too large; the limit is {}", what, shown(token_), limit));
    return advance().value;
  }
  rank_id rank_number() {
    return rank_id{static_cast<std::uint32_t>(
        number_up_to(std::numeric_limits<std::uint32_t>::max() - 1, "the number of a rank"))};
  }
  /// A rank that owns something no operation speaks for: nobody else could say in which line it stands.
  rank_id existing_rank() {
    const token where = token_;
    const rank_id rank = rank_number();
    if (index(rank) >= out_.ranks)
      fail(where, fmt::format("there is no rank {}", index(rank)),
           fmt::format("name a rank from 0 to {}, or let 'ranks' say more than {}", out_.ranks - 1,
                       out_.ranks));
    return rank;
  }
  bool at_end_of_statement() const {
    return token_.kind == token_kind::line_end || token_.kind == token_kind::file_end || at(";") || at("}");
  }
  void end_of_statement(std::string_view what) {
    if (!at_end_of_statement())
      expected(fmt::format("{}the end of the line", what));
  }
  void skip_statement() {
    while (!at_end_of_statement()) {
      if (at("{"))
        in_block_ = true; // a block whose first line is wrong: read on inside it
      advance();
    }
  }

  // Statements.

  void blank_lines() {
    while (token_.kind == token_kind::line_end || at(";"))
      advance();
  }

  void head() {
    blank_lines();
    if (!accept("tacit") || !accept("graph"))
      expected("'tacit graph 1' as the first line of a graph file");
    const token version = token_;
    if (number_up_to(std::numeric_limits<std::uint64_t>::max(), "the version of the format") != 1)
      fail(version, "this program reads version 1 of the graph format");
    end_of_statement("");
    blank_lines();
    expect("ranks");
    const token count = token_;
    out_.ranks = static_cast<std::uint32_t>(number_up_to(most_ranks, "the number of ranks"));
    if (out_.ranks == 0)
      fail(count, "expected at least 1 rank");
    end_of_statement("");
    out_.communicators.emplace_back("world");
  }

  void statement_or_blank() {
    if (token_.kind == token_kind::line_end || at(";")) {
      advance();
    } else if (in_block_ && accept("}")) {
      in_block_ = false;
      end_of_statement("");
    } else if (in_block_) {
      in_rank();
    } else if (accept("comm")) {
      communicator_statement();
    } else if (accept("operator")) {
      operator_statement();
    } else if (accept("rank")) {
      rank_ = existing_rank();
      expect("{");
      in_block_ = true;
    } else if (accept("}")) {
      fail(token_, "this '}' closes nothing");
    } else {
      expected("'rank N {', 'comm NAME = RANKS' or 'operator NAME = OPERATION TYPE BYTES'");
    }
  }

  void communicator_statement() {
    if (token_.kind != token_kind::word && token_.kind != token_kind::quoted)
      expected("the name of a communicator");
    if (out_.communicators.size() >= most_communicators)
      fail(token_, "too many communicators; the limit is 65535");
    const token where = token_;
    std::string name = name_of(advance());
    expect("=");
    std::vector<rank_id> members;
    do {
      const rank_id first = existing_rank();
      rank_id last = first;
      const token second = token_;
      if (accept(".."))
        last = existing_rank();
      if (last < first)
        fail(second, "expected the smaller rank of a range first");
      const std::uint64_t count = std::uint64_t{index(last)} - index(first) + 1;
      if (count > most_members - members_)
        fail(second, fmt::format("too many members; all communicators together may have {}", most_members));
      members_ += count;
      for (std::uint64_t r = index(first); r <= index(last); ++r)
        members.push_back(rank_id{static_cast<std::uint32_t>(r)});
    } while (accept(","));
    end_of_statement("',' or ");
    if (const rank_id twice = named_twice(members); twice != no_rank)
      fail(where, fmt::format("communicator {} names rank {} twice", shown(where), index(twice)),
           "name each member once");
    out_.communicators.push_back(std::move(name));
    out_.groups.push_back(std::move(members));
  }

  std::string some_name(const char* what) {
    if (token_.kind != token_kind::word && token_.kind != token_kind::quoted)
      expected(what);
    return name_of(advance());
  }

  void operator_statement() {
    const token where = token_;
    std::string name = some_name("the name of an operator");
    expect("=");
    reducer r;
    r.operation = some_name("what the operator does, such as sum");
    r.type = some_name("the type of its elements, such as int");
    const token bytes = token_;
    r.element = static_cast<std::uint32_t>(
        number_up_to(std::numeric_limits<std::uint32_t>::max(), "the bytes of an element"));
    if (r.element == 0)
      fail(bytes, "an element has at least 1 byte");
    r.commutative = !accept("ordered");
    r.rounds = accept("rounds");
    r.varies = accept("varies");
    r.anywhere = !accept("private");
    end_of_statement("'ordered', 'rounds', 'varies', 'private' or ");
    if (std::find(out_.operator_names.begin(), out_.operator_names.end(), name) != out_.operator_names.end())
      fail(where, fmt::format("there is an operator {} already", shown(where)), "use another name");
    out_.operator_names.push_back(std::move(name));
    out_.operators.push_back(std::move(r));
  }

  std::uint32_t operator_name() {
    const token where = token_;
    const std::string name = some_name("the name of an operator");
    const auto found = std::find(out_.operator_names.begin(), out_.operator_names.end(), name);
    if (found == out_.operator_names.end())
      fail(where, fmt::format("there is no operator {}; declare it above with 'operator NAME = OPERATION "
                              "TYPE BYTES'",
                              shown(where)));
    return static_cast<std::uint32_t>(found - out_.operator_names.begin());
  }

  static rank_id named_twice(std::vector<rank_id> members) {
    std::sort(members.begin(), members.end());
    const auto twice = std::adjacent_find(members.begin(), members.end());
    return twice == members.end() ? no_rank : *twice;
  }

  void in_rank() {
    if (accept("scratch"))
      return declared(out_.scratch);
    if (accept("live"))
      return declared(out_.live);
    parsed_operation op;
    op.rank = rank_;
    op.line = token_.line;
    token word = token_;
    if (word.kind != token_kind::word && word.kind != token_kind::number)
      expected("an operation (send, recv, copy, reduce, opaque, fence, put, get), 'scratch', 'live' or '}'");
    advance();
    if (accept(":")) {
      op.label = word;
      word = token_;
      if (word.kind != token_kind::word)
        expected("an operation after its label");
      advance();
    }
    operation_fields(op, word);
    if (accept("after"))
      op.after = reference_list();
    end_of_statement("'after' or ");
    out_.operations.push_back(op);
  }

  void declared(std::vector<std::pair<rank_id, segment>>& list) {
    const segments bytes = segment_list();
    end_of_statement("',' or ");
    for (std::uint32_t i = 0; i < bytes.count; ++i)
      list.emplace_back(rank_, out_.segments_of_all[bytes.first + i]);
  }

  void operation_fields(parsed_operation& op, const token& word) {
    if (word.text == "send" || word.text == "recv") {
      op.kind = word.text == "send" ? statement::send : statement::recv;
      (op.kind == statement::send ? op.reads : op.writes) = segment_list();
      expect(op.kind == statement::send ? "to" : "from");
      op.peer = rank_number();
      if (accept("tag"))
        op.tag = tag();
      if (accept("comm"))
        op.comm = communicator_name();
      if (op.kind == statement::recv && accept("by"))
        op.reducer = operator_name();
    } else if (word.text == "copy" || word.text == "reduce") {
      op.kind = word.text == "copy" ? statement::copy : statement::reduce;
      op.reads = segment_list();
      expect("->");
      op.writes = segment_list();
      if (op.kind == statement::reduce) {
        expect("by");
        op.reducer = operator_name();
      }
    } else if (word.text == "opaque") {
      op.kind = statement::opaque;
      if (accept("reads"))
        op.reads = segment_list();
      if (accept("writes"))
        op.writes = segment_list();
    } else if (word.text == "fence") {
      op.kind = statement::fence;
      if (accept("comm"))
        op.comm = communicator_name();
    } else if (word.text == "put" || word.text == "get") {
      op.kind = word.text == "put" ? statement::put : statement::get;
      op.reads = segment_list();
      expect(op.kind == statement::put ? "to" : "from");
      op.peer = rank_number();
      expect("at");
      op.writes = segment_list();
      if (accept("target")) {
        expect("after");
        op.target_after = reference_list();
      }
    } else {
      fail(word, fmt::format(
                     "expected send, recv, copy, reduce, opaque, fence, put, get, scratch or live, found {}",
                     shown(word)));
    }
  }

  std::int32_t tag() {
    const bool negative = accept("-");
    const auto size = number_up_to(negative ? 1ull << 31 : (1ull << 31) - 1, "a tag");
    return static_cast<std::int32_t>(negative ? -static_cast<std::int64_t>(size)
                                              : static_cast<std::int64_t>(size));
  }

  comm_id communicator_name() {
    if (token_.kind == token_kind::number) {
      const token t = advance();
      if (t.value < out_.communicators.size())
        return comm_id{static_cast<std::uint16_t>(t.value)};
      fail(t, fmt::format("there is no communicator number {}; {} are declared above", shown(t),
                          out_.communicators.size() - 1));
    }
    if (token_.kind != token_kind::word && token_.kind != token_kind::quoted)
      expected("the name of a communicator");
    const token t = advance();
    const std::string name = name_of(t);
    const auto found = std::find(out_.communicators.begin(), out_.communicators.end(), name);
    if (found == out_.communicators.end())
      fail(t,
           fmt::format("there is no communicator {}; declare it above with 'comm NAME = RANKS'", shown(t)));
    if (std::find(found + 1, out_.communicators.end(), name) != out_.communicators.end())
      fail(t, fmt::format("several communicators are called {}; write the number instead (0 is the world)",
                          shown(t)));
    return comm_id{static_cast<std::uint16_t>(found - out_.communicators.begin())};
  }

  segments segment_list() {
    segments list{.first = static_cast<std::uint32_t>(out_.segments_of_all.size())};
    if (accept("nothing"))
      return list;
    do {
      if (token_.kind != token_kind::number)
        expected("bytes as ADDRESS+LENGTH, or 'nothing'");
      const std::uint64_t address = number_up_to(std::numeric_limits<std::uint64_t>::max(), "an address");
      expect("+");
      out_.segments_of_all.push_back(
          {address, number_up_to(std::numeric_limits<std::uint64_t>::max(), "the length in bytes")});
      ++list.count;
    } while (accept(","));
    return list;
  }

  references reference_list() {
    references list{.first = static_cast<std::uint32_t>(out_.references_of_all.size())};
    do {
      if (token_.kind != token_kind::word && token_.kind != token_kind::number)
        expected("the label of an operation");
      reference r{.name = advance()};
      if (accept(".")) {
        expect("target");
        r.target = true;
      }
      out_.references_of_all.push_back(r);
      ++list.count;
    } while (accept(","));
    return list;
  }

  lexer lexer_;
  text_problems& problems_;
  token token_;
  bool in_block_ = false;
  rank_id rank_ = no_rank;
  std::uint64_t members_ = 0;
  parsed_graph out_;
};

} // namespace

void text_problems::report(const token& at, const std::string& what, std::string remedy) {
  ++count_;
  list_.push_back({.code = number(reason::bad_file),
                   .message = fmt::format("line {}, column {}: {}", at.line, at.column, what),
                   .remedy = std::move(remedy)});
}

bool text_problems::are_enough() const {
  return count_ >= most_errors;
}

std::optional<parsed_graph> read_statements(std::string_view text, text_problems& problems) {
  return statement_reader(text, problems).run();
}

} // namespace tacit::graphs::text
