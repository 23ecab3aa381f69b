// Happens-before by brute force, for tests. Written from the definitions alone: it reads the graph through
// its public accessors and uses nothing of the rooms match and flow.
//
// Nodes are the operations and, behind them, one node for each group of fences, where its members meet.
// Everything is found by counting and by searching from each node: fine for graphs of a few hundred
// operations.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tacit::oracle {

using namespace graphs;

/// Which receive takes which send, and which fences meet: by counting.
class structure {
public:
  explicit structure(const graph& g) : g_(g), partner(g.size(), no_op), origin_(g.size(), no_op) {
    pair_up();
    find_meetings();
  }

  const graph& g_;
  std::vector<op_id> partner;
  bool complete = true; ///< every send and receive has a partner and all fences meet

  struct meeting {
    comm_id comm;
    std::size_t round;
    std::vector<op_id> fences;
  };
  std::vector<meeting> meetings;

  bool one_sided(op_id op) const { return origin_[index(op)] != no_op; }

  /// How many fences of `comm` lie before the operation, where the operation's own rank belongs to `comm`;
  /// nothing if fences of `comm` do not order it at all.
  std::optional<std::size_t> epoch(op_id op, comm_id comm) const {
    op_id place = op;
    if (one_sided(op))
      place = origin_[index(op)];
    if (!member(comm, g_[place].rank) || !member(comm, g_[op].rank))
      return std::nullopt;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < index(place); ++i) {
      const operation& other = g_[op_id{i}];
      if (other.kind == op_kind::fence && other.comm == comm && other.rank == g_[place].rank)
        ++count;
    }
    return count;
  }

  /// Bytes that a send or copy reads, or that a receive or copy really writes.
  std::uint64_t carried(op_id op) const {
    if (g_[op].kind == op_kind::recv)
      return partner[index(op)] == no_op ? 0 : carried(partner[index(op)]);
    std::uint64_t sum = 0;
    for (const segment& s : g_.reads(op))
      sum += s.length;
    return sum;
  }

private:
  using channel = std::tuple<comm_id, rank_id, rank_id, std::int32_t>;

  void pair_up() {
    for (const made_pair& pair : g_.made_pairs()) {
      partner[index(pair.send)] = pair.recv;
      partner[index(pair.recv)] = pair.send;
      origin_[index(pair.send)] = origin_[index(pair.recv)] = pair.origin;
    }
    std::map<channel, std::vector<op_id>> sends, receives;
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const operation& op = g_[op_id{i}];
      if (one_sided(op_id{i}))
        continue;
      if (op.kind == op_kind::send)
        sends[{op.comm, op.rank, op.peer, op.tag}].push_back(op_id{i});
      if (op.kind == op_kind::recv)
        receives[{op.comm, op.peer, op.rank, op.tag}].push_back(op_id{i});
    }
    for (const auto& [key, list] : sends) {
      const auto& takers = receives[key];
      for (std::size_t k = 0; k < list.size() && k < takers.size(); ++k) {
        partner[index(list[k])] = takers[k];
        partner[index(takers[k])] = list[k];
      }
    }
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const op_kind kind = g_[op_id{i}].kind;
      if ((kind == op_kind::send || kind == op_kind::recv) && partner[i] == no_op)
        complete = false;
    }
  }

  void find_meetings() {
    std::map<std::pair<comm_id, std::size_t>, std::vector<op_id>> groups;
    std::map<std::pair<comm_id, rank_id>, std::size_t> calls;
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const operation& op = g_[op_id{i}];
      if (op.kind == op_kind::fence)
        groups[{op.comm, calls[{op.comm, op.rank}]++}].push_back(op_id{i});
    }
    for (auto& [key, fences] : groups) {
      if (fences.size() != g_.communicators()[index(key.first)].members.size())
        complete = false;
      meetings.push_back({key.first, key.second, std::move(fences)});
    }
  }

  bool member(comm_id comm, rank_id rank) const {
    for (const rank_id m : g_.communicators()[index(comm)].members)
      if (m == rank)
        return true;
    return false;
  }

  std::vector<op_id> origin_; ///< of one-sided operations: the one whose epoch counts
};

/// The edges of happens-before and what they imply.
class happens_before {
public:
  explicit happens_before(const graph& g) : shape(g), operations_(g.size()) {
    const std::size_t nodes = g.size() + shape.meetings.size();
    after_.resize(nodes);
    before_.resize(nodes);
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      const op_id op{i};
      if (g[op].kind == op_kind::send && shape.partner[i] != no_op)
        edge(i, index(shape.partner[i]), shape.carried(op) == 0);
      for (std::size_t m = 0; m < shape.meetings.size(); ++m)
        add_fence_edges(op, m);
    }
    for (const dependency& d : g.dependencies()) {
      edge(index(d.before), index(d.after), false);
      for (std::size_t m = 0; m < shape.meetings.size();
           ++m) // the others wait for what a member's fence waits for
        for (const op_id fence : shape.meetings[m].fences)
          if (fence == d.after)
            edge(index(d.before), g.size() + m, true);
    }
    reach_.assign(nodes, std::vector<bool>(nodes, false));
    for (std::size_t n = 0; n < nodes; ++n)
      search(n);
  }

  structure shape;

  std::size_t nodes() const { return after_.size(); }
  const std::vector<std::size_t>& before(std::size_t node) const { return before_[node]; }
  bool ordered(op_id a, op_id b) const { return reach_[index(a)][index(b)] || reach_[index(b)][index(a)]; }
  bool is_before(op_id a, op_id b) const { return reach_[index(a)][index(b)]; }
  bool cyclic() const {
    for (std::size_t n = 0; n < nodes(); ++n)
      if (reach_[n][n])
        return true;
    return false;
  }

  /// heard[r][s]: rank r has heard from rank s ≠ r, over any path or over paths with a zero-byte message or a
  /// fence.
  std::vector<std::vector<bool>> heard(bool only_explicit) const {
    const graph& g = shape.g_;
    std::vector<std::vector<bool>> out(g.ranks(), std::vector<bool>(g.ranks(), false));
    for (std::size_t from = 0; from < nodes(); ++from) {
      const auto reached = only_explicit ? explicitly_reached(from) : reach_[from];
      for (std::size_t to = 0; to < operations_; ++to) {
        if (!reached[to])
          continue;
        const std::size_t r = index(g.operations()[to].rank);
        if (from < operations_)
          out[r][index(g.operations()[from].rank)] = true;
        else
          for (const op_id fence : shape.meetings[from - operations_].fences)
            out[r][index(g[fence].rank)] = true;
      }
    }
    for (std::size_t r = 0; r < g.ranks(); ++r)
      out[r][r] = false;
    return out;
  }

  /// Adds an edge between two unordered operations and what follows from it.
  void add(op_id a, op_id b) {
    edge(index(a), index(b), false);
    for (std::size_t x = 0; x < nodes(); ++x) {
      if (x != index(a) && !reach_[x][index(a)])
        continue;
      reach_[x][index(b)] = true;
      for (std::size_t y = 0; y < nodes(); ++y)
        if (reach_[index(b)][y])
          reach_[x][y] = true;
    }
  }

private:
  void edge(std::size_t a, std::size_t b, bool is_explicit) {
    after_[a].emplace_back(b, is_explicit);
    before_[b].push_back(a);
  }

  void add_fence_edges(op_id op, std::size_t m) {
    const auto& meeting = shape.meetings[m];
    const std::size_t node = operations_ + m;
    const auto epoch = shape.epoch(op, meeting.comm);
    if (!epoch)
      return;
    const operation& x = shape.g_[op];
    if (x.kind == op_kind::fence && x.comm == meeting.comm && *epoch == meeting.round)
      edge(node, index(op), true);
    else if (*epoch <= meeting.round)
      edge(index(op), node, true);
    else
      edge(node, index(op), true);
  }

  void search(std::size_t from) {
    std::vector<std::size_t> stack{from};
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      for (const auto& [next, is_explicit] : after_[at]) {
        if (reach_[from][next])
          continue;
        reach_[from][next] = true;
        stack.push_back(next);
      }
    }
  }

  std::vector<bool> explicitly_reached(std::size_t from) const {
    std::vector<bool> seen[2] = {std::vector<bool>(nodes(), false), std::vector<bool>(nodes(), false)};
    std::vector<std::pair<std::size_t, bool>> stack{{from, false}};
    while (!stack.empty()) {
      const auto [at, marked] = stack.back();
      stack.pop_back();
      for (const auto& [next, is_explicit] : after_[at]) {
        const bool now = marked || is_explicit;
        if (seen[now][next])
          continue;
        seen[now][next] = true;
        stack.emplace_back(next, now);
      }
    }
    return seen[1];
  }

  std::size_t operations_;
  std::vector<std::vector<std::pair<std::size_t, bool>>> after_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::vector<bool>> reach_;
};

/// Two operations of a rank touch a common byte and one of them writes it.
inline bool conflict(const structure& shape, op_id a, op_id b) {
  const graph& g = shape.g_;
  if (a == b || g[a].rank != g[b].rank)
    return false;
  using bytes = std::vector<std::pair<std::uint64_t, bool>>; // address, written
  const auto touched = [&](op_id op) {
    bytes out;
    for (const segment& s : g.reads(op))
      for (std::uint64_t i = 0; i < s.length; ++i)
        out.emplace_back(s.address + i, false);
    std::uint64_t left = g[op].kind == op_kind::opaque ? ~std::uint64_t{0} : shape.carried(op);
    for (const segment& s : g.writes(op))
      for (std::uint64_t i = 0; i < s.length && left > 0; ++i, --left)
        out.emplace_back(s.address + i, true);
    return out;
  };
  const bytes ours = touched(a), theirs = touched(b);
  for (const auto& [address, written] : ours)
    for (const auto& [other, other_written] : theirs)
      if (address == other && (written || other_written))
        return true;
  return false;
}

/// The unordered conflicting pairs, smaller id first.
inline std::vector<std::pair<op_id, op_id>> races(const happens_before& hb) {
  std::vector<std::pair<op_id, op_id>> out;
  const graph& g = hb.shape.g_;
  for (std::uint32_t b = 0; b < g.size(); ++b)
    for (std::uint32_t a = 0; a < b; ++a)
      if (conflict(hb.shape, op_id{a}, op_id{b}) && !hb.ordered(op_id{a}, op_id{b}))
        out.emplace_back(op_id{a}, op_id{b});
  return out;
}

} // namespace tacit::oracle
