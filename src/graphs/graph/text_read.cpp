// From a text to a graph: statements are read, then names are resolved and the graph is built in creation order (that of the
// numbers, if operations are labelled with numbers, else that of the file). Cost O(text + operations log operations).
#include "graphs/graph/text.h"
#include "graphs/graph/text_statements.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <unordered_map>

namespace tacit::graphs {
namespace {

using text::no_operator;
using text::parsed_graph;
using text::parsed_operation;
using text::reference;
using text::references;
using text::statement;
using text::text_problems;
using text::token;
using text::token_kind;

/// Labels: words belong to their rank, numbers to the whole file.
static std::string label_key(rank_id rank, const token& label) {
  return label.kind == token_kind::number ? fmt::format("{}", label.value)
                                          : fmt::format("{} {}", index(rank), label.text);
}

/// The operation that put or get `op` makes at the other rank: put makes it after, get before its own.
op_id target_of(const parsed_operation& op, op_id own) {
  return op_id{static_cast<std::uint32_t>(index(own) + (op.kind == statement::put ? 1 : -1))};
}
bool is_pair(const parsed_operation& op) {
  return op.kind == statement::put || op.kind == statement::get;
}

class graph_builder {
public:
  graph_builder(parsed_graph statements, text_problems& problems)
      : in_(std::move(statements)), problems_(problems), g_(in_.ranks), id_of_(in_.operations.size()) {}

  std::optional<graph> run(std::vector<std::uint32_t>* lines) {
    const std::vector<std::uint32_t> order = creation_order();
    declare();
    if (lines)
      lines->clear();
    for (const std::uint32_t i : order) {
      id_of_[i] = add(in_.operations[i]);
      if (lines)
        lines->resize(g_.size(), in_.operations[i].line);
      label(i);
    }
    for (const std::uint32_t i : order) {
      const parsed_operation& op = in_.operations[i];
      if (is_pair(op))
        depend(op.rank, op.target_after, target_of(op, id_of_[i]));
      depend(op.rank, op.after, id_of_[i]);
    }
    for (const auto& [rank, bytes] : in_.scratch)
      g_.scratch(rank, bytes);
    for (const auto& [rank, bytes] : in_.live)
      g_.live_out(rank, bytes);
    if (problems_.any())
      return std::nullopt;
    return std::move(g_);
  }

private:
  /// Creation order, as positions in the list of operations.
  std::vector<std::uint32_t> creation_order() {
    std::vector<std::uint32_t> order(in_.operations.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto numbered = [](const parsed_operation& op) { return op.label.kind == token_kind::number; };
    const auto first = std::find_if(in_.operations.begin(), in_.operations.end(), numbered);
    if (first == in_.operations.end())
      return order;
    for (const parsed_operation& op : in_.operations) {
      if (numbered(op) && !op.label.overflow)
        continue;
      token at = op.label;
      at.line = op.line; // an operation without label: the beginning of its line
      problems_.report(
          at, fmt::format("expected a number as label: line {} labels an operation with a number, and then "
                          "all operations need one",
                          first->line));
      return order;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return in_.operations[a].label.value < in_.operations[b].label.value;
    });
    return order;
  }

  void declare() {
    for (std::size_t c = 0; c < in_.groups.size(); ++c)
      g_.add_communicator(std::move(in_.communicators[c + 1]), std::move(in_.groups[c]));
    for (const reducer& r : in_.operators)
      numbers_.push_back(g_.add_reducer(r));
    g_.reserve(in_.operations.size(), in_.references_of_all.size());
  }

  op_id add(const parsed_operation& op) {
    if (op.kind == statement::recv && op.reducer != no_operator)
      return g_.recv_reduce(op.rank, in_.bytes(op.writes), op.peer, numbers_[op.reducer], op.tag, op.comm);
    switch (op.kind) {
    case statement::send:
      return g_.send(op.rank, in_.bytes(op.reads), op.peer, op.tag, op.comm);
    case statement::recv:
      return g_.recv(op.rank, in_.bytes(op.writes), op.peer, op.tag, op.comm);
    case statement::copy:
      return g_.copy(op.rank, in_.bytes(op.reads), in_.bytes(op.writes));
    case statement::reduce:
      return g_.reduce(op.rank, in_.bytes(op.reads), in_.bytes(op.writes), numbers_[op.reducer]);
    case statement::opaque:
      return g_.opaque(op.rank, in_.bytes(op.reads), in_.bytes(op.writes));
    case statement::fence:
      return g_.fence(op.rank, op.comm);
    case statement::put:
      return g_.put(op.rank, in_.bytes(op.reads), op.peer, in_.bytes(op.writes));
    case statement::get:
      return g_.get(op.rank, in_.bytes(op.reads), op.peer, in_.bytes(op.writes));
    }
    return no_op;
  }

  void label(std::uint32_t i) {
    const parsed_operation& op = in_.operations[i];
    if (op.label.kind == token_kind::file_end)
      return;
    const auto [known, fresh] = labels_.emplace(label_key(op.rank, op.label), i);
    if (!fresh && !problems_.are_enough())
      problems_.report(op.label, fmt::format("the label {} is taken by line {}", shown(op.label),
                                             in_.operations[known->second].line));
  }

  void depend(rank_id rank, const references& list, op_id after) {
    for (const reference& r : in_.named(list)) {
      if (problems_.are_enough())
        return;
      const auto found = labels_.find(label_key(rank, r.name));
      if (found == labels_.end() || r.name.overflow) {
        problems_.report(r.name,
                         fmt::format("no operation of rank {} is labelled {}", index(rank), shown(r.name)));
        continue;
      }
      const parsed_operation& before = in_.operations[found->second];
      if (r.target && !is_pair(before)) {
        problems_.report(r.name, fmt::format("{} is no put and no get, so it has no target", shown(r.name)));
        continue;
      }
      const op_id own = id_of_[found->second];
      g_.depend(r.target ? target_of(before, own) : own, after);
    }
  }

  parsed_graph in_;
  text_problems& problems_;
  graph g_;
  std::vector<op_id> id_of_;                              ///< of the operations, in the order of the file
  std::vector<reducer_id> numbers_;                       ///< of the operators in the graph
  std::unordered_map<std::string, std::uint32_t> labels_; ///< positions in the list of operations
};

} // namespace

std::optional<graph> read_graph(std::string_view text, diagnostics& problems,
                                std::vector<std::uint32_t>* lines) {
  text_problems found(problems);
  auto statements = text::read_statements(text, found);
  return statements ? graph_builder(std::move(*statements), found).run(lines) : std::nullopt;
}

} // namespace tacit::graphs
