// Graphs one after the other, joined by marks.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::test {

using namespace graphs;

/// Appends the operations of `part` behind a mark on every rank.
class sequence {
public:
  explicit sequence(std::uint32_t ranks) : g_(ranks), mark_(ranks, no_op), all_(ranks) {}

  void append(const graph& part) {
    std::vector<comm_id> comms{world};
    for (std::size_t c = 1; c < part.communicators().size(); ++c)
      comms.push_back(g_.add_communicator(part.communicators()[c].name, part.communicators()[c].members));
    std::vector<op_id> now;
    for (std::uint32_t i = 0; i < part.size(); ++i) {
      const op_id op{i};
      now.push_back(add(part, op, comms[index(part[op].comm)]));
      keep(part[op].rank, now.back());
    }
    for (const dependency& d : part.dependencies())
      g_.depend(now[index(d.before)], now[index(d.after)]);
  }
  void mark() {
    for (std::uint32_t r = 0; r < g_.ranks(); ++r)
      mark(r);
  }
  void mark(std::uint32_t r) { mark(r, g_.copy(rank_id{r}, {}, {})); }
  /// A computation of the rank in place of a mark.
  void compute(std::uint32_t r, const segment& reads, const segment& writes) {
    mark(r, g_.opaque(rank_id{r}, std::span(&reads, 1), std::span(&writes, 1)));
  }
  void declare_as(const graph& part) {
    for (const auto& [rank, bytes] : part.scratch_bytes())
      g_.scratch(rank, bytes);
    for (const auto& [rank, bytes] : part.live_out_bytes())
      g_.live_out(rank, bytes);
  }
  graph& g() { return g_; }

private:
  void mark(std::uint32_t r, op_id op) {
    for (const op_id before : all_[r])
      g_.depend(before, op);
    all_[r].clear();
    keep(rank_id{r}, op);
    mark_[r] = op;
  }
  op_id add(const graph& part, op_id op, comm_id comm) {
    const operation& o = part[op];
    const reducer_id by =
        part.reduces(op) ? g_.add_reducer(part.reducers()[index(part.reduces_by(op))]) : no_reducer;
    switch (o.kind) {
    case op_kind::send:
      return g_.send(o.rank, part.reads(op), o.peer, o.tag, comm);
    case op_kind::recv:
      return by == no_reducer ? g_.recv(o.rank, part.writes(op), o.peer, o.tag, comm)
                              : g_.recv_reduce(o.rank, part.writes(op), o.peer, by, o.tag, comm);
    case op_kind::copy:
      return g_.copy(o.rank, part.reads(op), part.writes(op));
    case op_kind::reduce:
      return g_.reduce(o.rank, part.reads(op), part.writes(op), by);
    case op_kind::fence:
      return g_.fence(o.rank, comm);
    case op_kind::opaque:
      break;
    }
    return g_.opaque(o.rank, part.reads(op), part.writes(op));
  }
  void keep(rank_id rank, op_id op) {
    if (mark_[index(rank)] != no_op)
      g_.depend(mark_[index(rank)], op);
    all_[index(rank)].push_back(op);
  }
  graph g_;
  std::vector<op_id> mark_;
  std::vector<std::vector<op_id>> all_; ///< of each rank since the last mark
};

} // namespace tacit::test
