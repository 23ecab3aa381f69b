// Reads the graph text format: one pass over the tokens with one token of look-ahead, then names are resolved
// and the graph is built in creation order (that of the numbers, if operations are labelled with numbers,
// else that of the file). After an error the rest of the statement is skipped, so that several mistakes are
// reported together.
//
// Any bytes may come in: memory is bounded by a constant times the text plus the stated limits on ranks and
// members, recursion does not occur, every token is consumed once. Cost O(text + operations log operations).
#include "graphs/graph/text.h"
#include "graphs/graph/text_lexer.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace tacit::graphs {
namespace {

using text::lexer;
using text::token;
using text::token_kind;

constexpr std::uint64_t most_ranks = 1u << 24;    // a group of all ranks is stored: 4 bytes each
constexpr std::uint64_t most_members = 1u << 24;  // of all communicators together, beyond the world
constexpr std::size_t most_communicators = 65535; // comm_id has 16 bits
constexpr std::size_t most_errors = 20;

enum class statement : std::uint8_t { send, recv, copy, opaque, fence, put, get, reduce };

struct segments {
  std::uint32_t first = 0, count = 0;
};

struct reference {
  token name;
  bool target = false; ///< the operation that a put or get makes at the other rank
};

struct references {
  std::uint32_t first = 0, count = 0;
};

constexpr std::uint32_t no_operator = 0xffffffffu;

struct parsed_operation {
  statement kind = statement::send;
  comm_id comm = world;
  rank_id rank = no_rank, peer = no_rank;
  std::int32_t tag = 0;
  std::uint32_t reducer = no_operator;
  segments reads, writes; ///< put, get: `writes` is the remote side
  references after, target_after;
  token label; ///< kind file_end: none
  std::uint32_t line = 0;
};

/// Thrown inside the reader only: the statement cannot be understood; it is already reported.
struct give_up {};

class reader {
public:
  reader(std::string_view source, diagnostics& problems) : lexer_(source), problems_(problems) {
    token_ = lexer_.next();
  }

  std::optional<graph> run(std::vector<std::uint32_t>* lines) {
    try {
      head();
    } catch (const give_up&) {
      return std::nullopt;
    }
    while (token_.kind != token_kind::file_end && errors_ < most_errors) {
      try {
        statement_or_blank();
      } catch (const give_up&) {
        skip_statement();
      }
    }
    if (in_block_ && errors_ == 0)
      report(token_, "expected '}' that closes the block of a rank, found the end of the file");
    if (errors_ > 0)
      return std::nullopt;
    return build(lines);
  }

private:
  // --- words and marks
  // -------------------------------------------------------------------------------------------
  void report(const token& at, const std::string& what,
              std::string remedy = "correct the line; docs/graph-format.md describes the format") {
    ++errors_;
    problems_.push_back({.code = number(reason::bad_file),
                         .message = fmt::format("line {}, column {}: {}", at.line, at.column, what),
                         .remedy = std::move(remedy)});
  }
  template <typename... Remedy>
  [[noreturn]] void fail(const token& at, const std::string& what, Remedy&&... remedy) {
    report(at, what, std::forward<Remedy>(remedy)...);
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
    if (index(rank) >= ranks_)
      fail(where, fmt::format("there is no rank {}", index(rank)),
           fmt::format("name a rank from 0 to {}, or let 'ranks' say more than {}", ranks_ - 1, ranks_));
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

  // --- statements
  // ------------------------------------------------------------------------------------------------
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
    ranks_ = static_cast<std::uint32_t>(number_up_to(most_ranks, "the number of ranks"));
    if (ranks_ == 0)
      fail(count, "expected at least 1 rank");
    end_of_statement("");
    communicators_.emplace_back("world");
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
    if (communicators_.size() >= most_communicators)
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
    communicators_.push_back(std::move(name));
    groups_.push_back(std::move(members));
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
    r.anywhere = !accept("private");
    end_of_statement("'ordered', 'rounds', 'private' or ");
    if (std::find(operator_names_.begin(), operator_names_.end(), name) != operator_names_.end())
      fail(where, fmt::format("there is an operator {} already", shown(where)), "use another name");
    operator_names_.push_back(std::move(name));
    operators_.push_back(std::move(r));
  }

  std::uint32_t operator_name() {
    const token where = token_;
    const std::string name = some_name("the name of an operator");
    const auto found = std::find(operator_names_.begin(), operator_names_.end(), name);
    if (found == operator_names_.end())
      fail(where, fmt::format("there is no operator {}; declare it above with 'operator NAME = OPERATION "
                              "TYPE BYTES'",
                              shown(where)));
    return static_cast<std::uint32_t>(found - operator_names_.begin());
  }

  static rank_id named_twice(std::vector<rank_id> members) {
    std::sort(members.begin(), members.end());
    const auto twice = std::adjacent_find(members.begin(), members.end());
    return twice == members.end() ? no_rank : *twice;
  }

  void in_rank() {
    if (accept("scratch"))
      return declared(scratch_);
    if (accept("live"))
      return declared(live_);
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
    operations_.push_back(op);
  }

  void declared(std::vector<std::pair<rank_id, segment>>& list) {
    const segments bytes = segment_list();
    end_of_statement("',' or ");
    for (std::uint32_t i = 0; i < bytes.count; ++i)
      list.emplace_back(rank_, segments_[bytes.first + i]);
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
      if (t.value < communicators_.size())
        return comm_id{static_cast<std::uint16_t>(t.value)};
      fail(t, fmt::format("there is no communicator number {}; {} are declared above", shown(t),
                          communicators_.size() - 1));
    }
    if (token_.kind != token_kind::word && token_.kind != token_kind::quoted)
      expected("the name of a communicator");
    const token t = advance();
    const std::string name = name_of(t);
    const auto found = std::find(communicators_.begin(), communicators_.end(), name);
    if (found == communicators_.end())
      fail(t,
           fmt::format("there is no communicator {}; declare it above with 'comm NAME = RANKS'", shown(t)));
    if (std::find(found + 1, communicators_.end(), name) != communicators_.end())
      fail(t, fmt::format("several communicators are called {}; write the number instead (0 is the world)",
                          shown(t)));
    return comm_id{static_cast<std::uint16_t>(found - communicators_.begin())};
  }

  segments segment_list() {
    segments list{.first = static_cast<std::uint32_t>(segments_.size())};
    if (accept("nothing"))
      return list;
    do {
      if (token_.kind != token_kind::number)
        expected("bytes as ADDRESS+LENGTH, or 'nothing'");
      const std::uint64_t address = number_up_to(std::numeric_limits<std::uint64_t>::max(), "an address");
      expect("+");
      segments_.push_back(
          {address, number_up_to(std::numeric_limits<std::uint64_t>::max(), "the length in bytes")});
      ++list.count;
    } while (accept(","));
    return list;
  }

  references reference_list() {
    references list{.first = static_cast<std::uint32_t>(references_.size())};
    do {
      if (token_.kind != token_kind::word && token_.kind != token_kind::number)
        expected("the label of an operation");
      reference r{.name = advance()};
      if (accept(".")) {
        expect("target");
        r.target = true;
      }
      references_.push_back(r);
      ++list.count;
    } while (accept(","));
    return list;
  }

  // --- the graph
  // -------------------------------------------------------------------------------------------------
  /// Labels: words belong to their rank, numbers to the whole file.
  static std::string label_key(rank_id rank, const token& label) {
    return label.kind == token_kind::number ? fmt::format("{}", label.value)
                                            : fmt::format("{} {}", index(rank), label.text);
  }

  /// Creation order, as positions in operations_.
  std::vector<std::uint32_t> creation_order() {
    std::vector<std::uint32_t> order(operations_.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto numbered = [](const parsed_operation& op) { return op.label.kind == token_kind::number; };
    const auto first = std::find_if(operations_.begin(), operations_.end(), numbered);
    if (first == operations_.end())
      return order;
    for (const parsed_operation& op : operations_) {
      if (numbered(op) && !op.label.overflow)
        continue;
      token at = op.label;
      at.line = op.line; // an operation without label: the beginning of its line
      report(at,
             fmt::format("expected a number as label: line {} labels an operation with a number, and then "
                         "all operations need one",
                         first->line));
      return order;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return operations_[a].label.value < operations_[b].label.value;
    });
    return order;
  }

  std::span<const segment> bytes(const segments& s) const {
    return std::span(segments_).subspan(s.first, s.count);
  }

  op_id add(graph& g, const parsed_operation& op) {
    if (op.kind == statement::recv && op.reducer != no_operator)
      return g.recv_reduce(op.rank, bytes(op.writes), op.peer, numbers_[op.reducer], op.tag, op.comm);
    switch (op.kind) {
    case statement::send:
      return g.send(op.rank, bytes(op.reads), op.peer, op.tag, op.comm);
    case statement::recv:
      return g.recv(op.rank, bytes(op.writes), op.peer, op.tag, op.comm);
    case statement::copy:
      return g.copy(op.rank, bytes(op.reads), bytes(op.writes));
    case statement::reduce:
      return g.reduce(op.rank, bytes(op.reads), bytes(op.writes), numbers_[op.reducer]);
    case statement::opaque:
      return g.opaque(op.rank, bytes(op.reads), bytes(op.writes));
    case statement::fence:
      return g.fence(op.rank, op.comm);
    case statement::put:
      return g.put(op.rank, bytes(op.reads), op.peer, bytes(op.writes));
    case statement::get:
      return g.get(op.rank, bytes(op.reads), op.peer, bytes(op.writes));
    }
    return no_op;
  }

  /// The operation that put or get `op` makes at the other rank: put makes it after, get before its own.
  static op_id target_of(const parsed_operation& op, op_id own) {
    return op_id{static_cast<std::uint32_t>(index(own) + (op.kind == statement::put ? 1 : -1))};
  }
  static bool is_pair(const parsed_operation& op) {
    return op.kind == statement::put || op.kind == statement::get;
  }

  std::optional<graph> build(std::vector<std::uint32_t>* lines) {
    const std::vector<std::uint32_t> order = creation_order();
    graph g(ranks_);
    for (std::size_t c = 0; c < groups_.size(); ++c)
      g.add_communicator(std::move(communicators_[c + 1]), std::move(groups_[c]));
    for (const reducer& r : operators_)
      numbers_.push_back(g.add_reducer(r));
    g.reserve(operations_.size(), references_.size());
    std::vector<op_id> id_of(operations_.size());
    std::unordered_map<std::string, std::uint32_t> labels;
    if (lines)
      lines->clear();
    for (const std::uint32_t i : order) {
      const parsed_operation& op = operations_[i];
      id_of[i] = add(g, op);
      if (lines)
        lines->resize(g.size(), op.line);
      if (op.label.kind == token_kind::file_end)
        continue;
      const auto [known, fresh] = labels.emplace(label_key(op.rank, op.label), i);
      if (!fresh && errors_ < most_errors)
        report(op.label, fmt::format("the label {} is taken by line {}", shown(op.label),
                                     operations_[known->second].line));
    }
    for (const std::uint32_t i : order) {
      const parsed_operation& op = operations_[i];
      if (is_pair(op))
        depend(g, op.rank, op.target_after, target_of(op, id_of[i]), labels, id_of);
      depend(g, op.rank, op.after, id_of[i], labels, id_of);
    }
    for (const auto& [rank, bytes] : scratch_)
      g.scratch(rank, bytes);
    for (const auto& [rank, bytes] : live_)
      g.live_out(rank, bytes);
    if (errors_ > 0)
      return std::nullopt;
    return g;
  }

  void depend(graph& g, rank_id rank, const references& list, op_id after,
              const std::unordered_map<std::string, std::uint32_t>& labels, const std::vector<op_id>& id_of) {
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const reference& r = references_[list.first + i];
      const auto found = labels.find(label_key(rank, r.name));
      if (errors_ >= most_errors)
        return;
      if (found == labels.end() || r.name.overflow) {
        report(r.name, fmt::format("no operation of rank {} is labelled {}", index(rank), shown(r.name)));
        continue;
      }
      const parsed_operation& before = operations_[found->second];
      if (r.target && !is_pair(before)) {
        report(r.name, fmt::format("{} is no put and no get, so it has no target", shown(r.name)));
        continue;
      }
      const op_id own = id_of[found->second];
      g.depend(r.target ? target_of(before, own) : own, after);
    }
  }

  lexer lexer_;
  diagnostics& problems_;
  token token_;
  std::size_t errors_ = 0;
  bool in_block_ = false;
  rank_id rank_ = no_rank;
  std::uint32_t ranks_ = 0;
  std::uint64_t members_ = 0;
  std::vector<std::string> communicators_;   ///< names, the world first
  std::vector<std::vector<rank_id>> groups_; ///< without the world
  std::vector<std::string> operator_names_;
  std::vector<reducer> operators_;
  std::vector<reducer_id> numbers_; ///< of the operators in the graph
  std::vector<parsed_operation> operations_;
  std::vector<segment> segments_;
  std::vector<reference> references_;
  std::vector<std::pair<rank_id, segment>> scratch_, live_;
};

} // namespace

std::optional<graph> read_graph(std::string_view text, diagnostics& problems,
                                std::vector<std::uint32_t>* lines) {
  return reader(text, problems).run(lines);
}

} // namespace tacit::graphs
