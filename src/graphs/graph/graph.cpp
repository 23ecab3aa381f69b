#include "graphs/graph/graph.h"

#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tacit::graphs {

std::uint64_t total_length(std::span<const segment> segments) {
  return std::accumulate(segments.begin(), segments.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const segment& s) { return sum + s.length; });
}

std::string_view name(op_kind kind) {
  constexpr std::string_view names[op_kinds] = {"send", "recv", "copy", "opaque", "fence", "reduce"};
  return names[static_cast<int>(kind)];
}

graph::graph(std::uint32_t ranks) : ranks_(ranks) {
  std::vector<rank_id> everyone(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r)
    everyone[r] = rank_id{r};
  communicators_.push_back({"world", std::move(everyone)});
}

comm_id graph::add_communicator(std::string name, std::vector<rank_id> members) {
  communicators_.push_back({std::move(name), std::move(members)});
  return comm_id{static_cast<std::uint16_t>(communicators_.size() - 1)};
}

std::string describe(const reducer& r) {
  return r.operation + " of " + r.type;
}

op_id graph::add(operation op, std::span<const segment> reads, std::span<const segment> writes,
                 reducer_id by) {
  const bool one_sided_data = op.kind == op_kind::send || op.kind == op_kind::recv;
  const auto only = op.kind == op_kind::send ? reads : writes;
  if (one_sided_data && only.size() == 1 && by == no_reducer) {
    op.data = only.front();
  } else if (!reads.empty() || !writes.empty() || by != no_reducer) {
    op.pooled = true;
    op.data = {accesses_.size(), total_length(op.kind == op_kind::send ? reads : writes)};
    accesses_.push_back({pool_.add(reads), static_cast<std::uint32_t>(reads.size()), pool_.add(writes),
                         static_cast<std::uint32_t>(writes.size()), by});
  }
  has_computations_ |= op.kind == op_kind::opaque;
  has_marks_ |= op.kind == op_kind::copy && !op.pooled;
  operations_.push_back(op);
  return op_id{static_cast<std::uint32_t>(operations_.size() - 1)};
}

op_id graph::send(rank_id rank, std::span<const segment> from, rank_id to, std::int32_t tag, comm_id comm) {
  has_empty_sends_ = has_empty_sends_ || total_length(from) == 0;
  return add({.kind = op_kind::send, .comm = comm, .rank = rank, .peer = to, .tag = tag, .data = {}}, from,
             {});
}

op_id graph::recv(rank_id rank, std::span<const segment> into, rank_id from, std::int32_t tag, comm_id comm) {
  return add({.kind = op_kind::recv, .comm = comm, .rank = rank, .peer = from, .tag = tag, .data = {}}, {},
             into);
}

op_id graph::send(rank_id rank, segment from, rank_id to, std::int32_t tag, comm_id comm) {
  return send(rank, std::span(&from, 1), to, tag, comm);
}

op_id graph::recv(rank_id rank, segment into, rank_id from, std::int32_t tag, comm_id comm) {
  return recv(rank, std::span(&into, 1), from, tag, comm);
}

op_id graph::copy(rank_id rank, std::span<const segment> from, std::span<const segment> into) {
  return add({.kind = op_kind::copy, .rank = rank, .data = {}}, from, into);
}

op_id graph::opaque(rank_id rank, std::span<const segment> reads, std::span<const segment> writes) {
  return add({.kind = op_kind::opaque, .rank = rank, .data = {}}, reads, writes);
}

reducer_id graph::add_reducer(const reducer& r) {
  const auto known = std::find(reducers_.begin(), reducers_.end(), r);
  const auto number = static_cast<std::uint32_t>(known - reducers_.begin());
  if (known == reducers_.end())
    reducers_.push_back(r);
  return reducer_id{number};
}

op_id graph::reduce(rank_id rank, std::span<const segment> from, std::span<const segment> into,
                    reducer_id by) {
  has_reductions_ = true;
  return add({.kind = op_kind::reduce, .rank = rank, .data = {}}, from, into, by);
}

op_id graph::recv_reduce(rank_id rank, std::span<const segment> into, rank_id from, reducer_id by,
                         std::int32_t tag, comm_id comm) {
  has_reductions_ = true;
  return add({.kind = op_kind::recv, .comm = comm, .rank = rank, .peer = from, .tag = tag, .data = {}}, {},
             into, by);
}

op_id graph::fence(rank_id rank, comm_id comm) {
  has_fences_ = true;
  return add({.kind = op_kind::fence, .comm = comm, .rank = rank, .data = {}}, {}, {});
}

op_id graph::put(rank_id rank, std::span<const segment> local, rank_id target,
                 std::span<const segment> remote) {
  const op_id sent = send(rank, local, target);
  const op_id received = recv(target, remote, rank);
  made_pairs_.push_back({sent, received, sent});
  return sent;
}

op_id graph::get(rank_id rank, std::span<const segment> local, rank_id target,
                 std::span<const segment> remote) {
  const op_id sent = send(target, remote, rank);
  const op_id received = recv(rank, local, target);
  made_pairs_.push_back({sent, received, received});
  return received;
}

void graph::depend(op_id before, op_id after) {
  dependencies_.push_back({before, after});
}
void graph::scratch(rank_id rank, segment bytes) {
  scratch_.emplace_back(rank, bytes);
}
void graph::live_out(rank_id rank, segment bytes) {
  live_out_.emplace_back(rank, bytes);
}

void graph::reserve(std::size_t operations, std::size_t dependencies) {
  operations_.reserve(operations);
  dependencies_.reserve(dependencies);
}

std::string describe(const graph& g, op_id id) {
  const operation& op = g[id];
  const auto data = op.kind == op_kind::recv ? g.writes(id) : g.reads(id);
  std::string text = fmt::format("rank {} op {}: {}", index(op.rank), index(id), name(op.kind));
  if (op.kind == op_kind::fence)
    return text;
  text += fmt::format(" {} B", total_length(data));
  if (data.size() == 1)
    text += fmt::format(" at {:#x}", data.front().address);
  if (data.size() > 1)
    text += fmt::format(" in {} segments from {:#x}", data.size(), data.front().address);
  if (op.kind == op_kind::send)
    text += fmt::format(" to rank {}, tag {}", index(op.peer), op.tag);
  if (op.kind == op_kind::recv)
    text += fmt::format(" from rank {}, tag {}", index(op.peer), op.tag);
  if (const reducer_id by = g.reduces_by(id); index(by) < g.reducers().size())
    text += fmt::format(", {} by {}", op.kind == op_kind::recv ? "reduced" : "combined",
                        describe(g.reducers()[index(by)]));
  if (op.comm != world && index(op.comm) < g.communicators().size())
    text += fmt::format(", communicator {}", g.communicators()[index(op.comm)].name);
  return text;
}

} // namespace tacit::graphs
