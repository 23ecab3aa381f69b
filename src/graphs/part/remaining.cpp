// The pairs are made in this order: all sends, all copies, all receives. Dependencies go from earlier operations to later ones only, so
// that bytes which are sent and overwritten order their rank's operations without a cycle, and each send can leave at once.
#include "graphs/part/remaining.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace tacit::graphs {
namespace {

/// Bytes [begin, last] that an operation of a rank reads or writes.
struct touched_bytes {
  rank_id rank;
  std::uint64_t begin, last;
  op_id op;
};

void add_touched(std::vector<touched_bytes>& to, const graph& g, op_id op, std::span<const segment> list) {
  for (const segment& s : list)
    to.push_back({g[op].rank, s.address, s.address + (s.length - 1), op});
}

/// Every reader before whoever overwrites one of its bytes; false if that is itself. No byte is written twice.
bool read_first(graph& g) {
  std::vector<touched_bytes> reads, writes;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    add_touched(reads, g, op_id{i}, g.reads(op_id{i}));
    add_touched(writes, g, op_id{i}, g.writes(op_id{i}));
  }
  std::sort(writes.begin(), writes.end(), [](const touched_bytes& a, const touched_bytes& b) {
    return std::tie(a.rank, a.begin) < std::tie(b.rank, b.begin);
  });
  std::vector<std::pair<op_id, op_id>> orders;
  for (const touched_bytes& r : reads) {
    auto at = std::partition_point(writes.begin(), writes.end(), [&](const touched_bytes& w) {
      return std::tie(w.rank, w.last) < std::tie(r.rank, r.begin);
    });
    for (; at != writes.end() && at->rank == r.rank && at->begin <= r.last; ++at) {
      if (at->op == r.op)
        return false;
      orders.emplace_back(r.op, at->op);
    }
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  for (const auto& [before, after] : orders)
    g.depend(before, after);
  return true;
}

} // namespace

std::optional<graph> remaining_graph(graph ranks, std::span<const transfer> moved) {
  graph g = std::move(ranks);
  std::vector<transfer> list(moved.begin(), moved.end());
  std::sort(list.begin(), list.end(), [](const transfer& a, const transfer& b) {
    return std::tie(a.source, a.destination, a.destination_address) <
           std::tie(b.source, b.destination, b.destination_address);
  });
  struct message {
    rank_id from, to;
    std::vector<segment> reads, writes;
  };
  std::vector<message> messages;
  for (const transfer& t : list) {
    if (messages.empty() || messages.back().from != t.source || messages.back().to != t.destination)
      messages.push_back({t.source, t.destination, {}, {}});
    messages.back().reads.push_back({t.source_address, t.length});
    messages.back().writes.push_back({t.destination_address, t.length});
  }
  for (const message& m : messages)
    if (m.from != m.to)
      g.send(m.from, m.reads, m.to);
  for (const message& m : messages)
    if (m.from == m.to)
      g.copy(m.from, m.reads, m.writes);
  for (const message& m : messages)
    if (m.from != m.to)
      g.recv(m.to, m.writes, m.from);
  if (!read_first(g))
    return std::nullopt;
  return g;
}

} // namespace tacit::graphs
