// If every rank gets the whole data in one message (or all its pieces from one rank), the messages are a
// tree, given by the parent of each rank. The known algorithms are written down as parent tables and
// compared, so a shape means that algorithm and nothing like it; on few ranks several tables are equal.
//
// Otherwise the data travels in pieces. Spread and roll (a scatter followed by a ring allgather): the first
// message that each rank gets brings its share, all others go between neighbors of the ring. If modified, one
// rank, the root's successor, gets everything in one message and takes no part in the rest, which
// closes up around it.
#include "recordings/meaning/broadcast_shape.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

namespace tacit::recordings {
namespace {

using parents = std::vector<std::uint32_t>; ///< of ranks 1 … Q-1; entry 0 is 0

parents chains(std::uint32_t ranks, std::initializer_list<std::uint32_t> heads) {
  parents p(ranks, 0);
  for (std::uint32_t v = 1; v < ranks; ++v)
    p[v] = std::find(heads.begin(), heads.end(), v) != heads.end() ? 0 : v - 1;
  return p;
}

parents tree_of(std::uint32_t ranks, const std::function<std::uint32_t(std::uint32_t)>& parent) {
  parents p(ranks, 0);
  for (std::uint32_t v = 1; v < ranks; ++v)
    p[v] = parent(v);
  return p;
}

parents reversed(const parents& p) {
  const auto ranks = static_cast<std::uint32_t>(p.size());
  parents r(ranks, 0);
  for (std::uint32_t v = 1; v < ranks; ++v)
    r[ranks - v] = (ranks - p[v]) % ranks;
  return r;
}

bool is_chain(const parents& p) {
  std::vector<bool> has_child(p.size(), false);
  for (std::size_t v = 1; v < p.size(); ++v) {
    if (has_child[p[v]])
      return false;
    has_child[p[v]] = true;
  }
  return true;
}

broadcast_algorithm recognize_tree(const parents& p) {
  const auto q = static_cast<std::uint32_t>(p.size());
  using enum broadcast_shape;
  struct known {
    broadcast_shape shape;
    parents table;
  };
  const known tables[] = {
      {linear, parents(q, 0)},
      {ring, chains(q, {1})},
      {modified_ring, chains(q, {1, 2})},
      {two_rings, chains(q, {1, q / 2})},
      {two_rings, chains(q, {1, (q + 1) / 2})},
      {modified_two_rings, chains(q, {1, 2, 1 + (q - 1) / 2})},
      {binomial_tree, tree_of(q, [](std::uint32_t v) { return v & (v - 1); })},
      {binomial_tree, tree_of(q, [](std::uint32_t v) { return v & ~std::bit_floor(v); })},
      {binary_tree, tree_of(q, [](std::uint32_t v) { return (v - 1) / 2; })},
  };
  std::vector<broadcast_shape> equal;
  for (const bool backward : {false, true}) {
    for (const known& k : tables) {
      if (q < 4 && (k.shape == two_rings || k.shape == modified_two_rings))
        continue; // too few ranks for two
      if (p != (backward ? reversed(k.table) : k.table))
        continue;
      if (std::find(equal.begin(), equal.end(), k.shape) == equal.end())
        equal.push_back(k.shape);
    }
    if (!equal.empty())
      return {equal[0], {equal.begin() + 1, equal.end()}, q, backward, false};
  }
  return {is_chain(p) ? chain : tree, {}, q, false, false};
}

/// Spread and roll of the ranks in `part` (ascending, the root first), whose messages are `hops`.
bool is_spread_and_roll(const std::vector<std::uint32_t>& part, std::span<const hop> hops,
                        std::uint64_t bytes) {
  const auto count = static_cast<std::uint32_t>(part.size());
  if (count < 3)
    return false;
  const auto position = [&](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::lower_bound(part.begin(), part.end(), rank) - part.begin());
  };
  std::vector<bool> has_share(count, false), passes_on(count, false);
  std::vector<std::uint32_t> rolled_to(count, 0);
  has_share[0] = passes_on[0] = true;
  for (const hop& h : hops) {
    const std::uint32_t from = position(h.from), to = position(h.to);
    if (h.bytes >= bytes)
      return false;
    if (!has_share[to]) {
      has_share[to] = true;
      continue;
    }
    const std::uint32_t distance = (to + count - from) % count;
    if (distance != 1 && distance != count - 1)
      return false;
    ++rolled_to[to];
    passes_on[from] = true;
  }
  // Every rank takes part in the rolling and gets all shares but its own that way; one may be empty.
  for (std::uint32_t v = 1; v < count; ++v)
    if (!has_share[v] || !passes_on[v] || rolled_to[v] + 2 < count)
      return false;
  return true;
}

broadcast_shape recognize_pieces(std::uint32_t ranks, std::span<const hop> hops, std::uint64_t bytes) {
  std::vector<std::uint32_t> part{0};
  std::vector<std::uint32_t> messages_to(ranks, 0);
  std::vector<bool> whole(ranks, false), sends(ranks, false);
  for (const hop& h : hops) {
    ++messages_to[h.to];
    whole[h.to] = h.bytes == bytes;
    sends[h.from] = true;
  }
  std::vector<bool> apart(ranks, false);
  std::uint32_t count_apart = 0;
  for (std::uint32_t v = 1; v < ranks; ++v) {
    apart[v] = messages_to[v] == 1 && whole[v] && !sends[v];
    count_apart += apart[v] ? 1 : 0;
    if (!apart[v])
      part.push_back(v);
  }
  std::vector<hop> rest;
  for (const hop& h : hops)
    if (!apart[h.to])
      rest.push_back(h);
  if (count_apart <= 1 && is_spread_and_roll(part, rest, bytes)) {
    if (count_apart == 0)
      return broadcast_shape::spread_and_roll;
    if (apart[1])
      return broadcast_shape::modified_spread_and_roll;
  }
  return broadcast_shape::pieces;
}

} // namespace

broadcast_algorithm recognize_broadcast(std::uint32_t ranks, std::span<const hop> hops, std::uint64_t bytes) {
  parents parent(ranks, 0);
  std::vector<std::uint64_t> got(ranks, 0);
  std::vector<std::uint32_t> pieces(ranks, 0);
  bool one_parent = ranks >= 2;
  for (const hop& h : hops) {
    if (h.from >= ranks || h.to >= ranks)
      return {broadcast_shape::tree, {}, ranks, false, false};
    one_parent = one_parent && h.to != 0 && (pieces[h.to] == 0 || parent[h.to] == h.from);
    parent[h.to] = h.from;
    got[h.to] += h.bytes;
    ++pieces[h.to];
  }
  std::uint32_t most = 0;
  for (std::uint32_t v = 1; v < ranks; ++v) {
    one_parent = one_parent && got[v] == bytes;
    most = std::max(most, pieces[v]);
  }
  if (!one_parent)
    return {recognize_pieces(ranks, hops, bytes), {}, ranks, false, false};
  broadcast_algorithm known = recognize_tree(parent);
  known.pipelined = most > 1;
  return known;
}

} // namespace tacit::recordings
