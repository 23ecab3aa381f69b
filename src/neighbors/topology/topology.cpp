// Channels. In a graph both sides count: the k-th occurrence of a peer among the destinations (or sources)
// has channel k. A stencil is counted likewise, because slot i of the sender arrives in slot i of the
// receiver.
//
// In a grid the block that leaves through slot s (say, to the right) arrives through slot s^1 (from the left)
// of the same dimension. With a periodic dimension of size 1 or 2 both slots of a dimension lead to the same
// rank, so counting on both sides would join left with left; MPI-4.1 Example 8.10 says that it must be left
// with right. Hence the channel is counted at the sender, and the receiver counts as the sender would: its
// source slots with that peer, in the order of s^1. Cost O(slots²) per rank, with slots = 2 · dimensions.
#include "neighbors/topology/topology.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tacit::neighbors {
namespace {

/// The k-th edge with a peer gets channel k.
void count_channels(std::vector<edge>& edges) {
  std::map<rank_id, std::uint32_t> seen;
  for (edge& e : edges)
    if (e.peer != no_rank)
      e.channel = seen[e.peer]++;
}

std::vector<edge> edges_to(std::span<const rank_id> peers, std::span<const int> weights) {
  std::vector<edge> edges;
  edges.reserve(peers.size());
  for (std::size_t i = 0; i < peers.size(); ++i)
    edges.push_back({peers[i], 0, weights.empty() ? 1 : weights[i]});
  count_channels(edges);
  return edges;
}

/// Mixes all bits (the finalizer of MurmurHash3, public domain).
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

std::uint64_t word_of(rank_id source, rank_id destination, std::uint32_t channel) {
  return mix(mix(mix(index(source) + 1) + index(destination)) + channel);
}

} // namespace

std::uint64_t ranks_of(const grid_shape& shape) {
  std::uint64_t ranks = 1;
  for (const int d : shape.dims)
    if (d < 1 || __builtin_mul_overflow(ranks, static_cast<std::uint64_t>(d), &ranks))
      return 0;
  return ranks;
}

std::vector<int> coordinates_of(const grid_shape& shape, rank_id rank) {
  std::vector<int> at(shape.dims.size());
  std::size_t left = index(rank);
  for (std::size_t d = at.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(shape.dims[d]);
    at[d] = static_cast<int>(left % size);
    left /= size;
  }
  return at;
}

rank_id rank_at(const grid_shape& shape, std::span<const int> coordinates, std::span<const int> offset) {
  std::uint64_t rank = 0;
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    const std::int64_t size = shape.dims[d];
    std::int64_t at = std::int64_t{coordinates[d]} + offset[d];
    if (at < 0 || at >= size) {
      if (!shape.periodic[d])
        return no_rank;
      at = (at % size + size) % size;
    }
    rank = rank * static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(at);
  }
  return rank_id{static_cast<std::uint32_t>(rank)};
}

neighborhood cartesian_neighborhood(const grid_shape& shape, rank_id rank) {
  const std::vector<int> here = coordinates_of(shape, rank);
  neighborhood n;
  for (std::size_t d = 0; d < here.size(); ++d)
    for (const int direction : {-1, 1}) {
      std::vector<int> offset(here.size(), 0);
      offset[d] = direction;
      n.destinations.push_back({rank_at(shape, here, offset)});
    }
  n.sources = n.destinations;
  count_channels(n.destinations);
  for (std::size_t t = 0; t < n.sources.size(); ++t)
    for (std::size_t other = 0; other < n.sources.size(); ++other)
      if (n.sources[t].peer != no_rank && n.sources[other].peer == n.sources[t].peer && (other ^ 1) < (t ^ 1))
        ++n.sources[t].channel;
  return n;
}

neighborhood stencil_neighborhood(const grid_shape& shape, std::span<const std::vector<int>> offsets,
                                  rank_id rank) {
  const std::vector<int> here = coordinates_of(shape, rank);
  neighborhood n;
  for (const std::vector<int>& offset : offsets) {
    n.destinations.push_back({rank_at(shape, here, offset)});
    std::vector<int> back(offset);
    for (int& steps : back)
      steps = -steps;
    n.sources.push_back({rank_at(shape, here, back)});
  }
  count_channels(n.destinations);
  count_channels(n.sources);
  return n;
}

neighborhood graph_neighborhood(std::span<const rank_id> sources, std::span<const int> source_weights,
                                std::span<const rank_id> destinations,
                                std::span<const int> destination_weights) {
  return {edges_to(sources, source_weights), edges_to(destinations, destination_weights),
          !source_weights.empty() || !destination_weights.empty()};
}

neighborhood topology::of(rank_id rank) const {
  switch (what) {
  case kind::grid:
    return cartesian_neighborhood(shape, rank);
  case kind::stencil:
    return stencil_neighborhood(shape, offsets, rank);
  case kind::graph:
    break;
  }
  return edges;
}

std::string misfit(const topology& t, std::uint32_t size) {
  if (t.what != topology::kind::graph) {
    if (ranks_of(t.shape) != size)
      return fmt::format("the grid {} has {} ranks, but the communicator has {}; choose dimensions whose "
                         "product is the communicator's size, or split the communicator first",
                         fmt::join(t.shape.dims, "x"), ranks_of(t.shape), size);
    return {};
  }
  for (const auto* edges : {&t.edges.sources, &t.edges.destinations})
    for (const edge& e : *edges)
      if (e.peer != no_rank && index(e.peer) >= size)
        return fmt::format("the graph names rank {}, but the communicator has ranks 0 to {}; give ranks of "
                           "the communicator to which the topology is attached",
                           index(e.peer), size - 1);
  return {};
}

std::uint64_t edge_balance(const neighborhood& n, rank_id rank) {
  std::uint64_t sum = 0;
  for (const edge& e : n.destinations)
    if (e.peer != no_rank)
      sum += word_of(rank, e.peer, e.channel);
  for (const edge& e : n.sources)
    if (e.peer != no_rank)
      sum -= word_of(e.peer, rank, e.channel);
  return sum;
}

std::vector<int> edge_counts(std::span<const edge> edges, std::uint32_t size) {
  std::vector<int> counts(size, 0);
  for (const edge& e : edges)
    if (index(e.peer) < size)
      ++counts[index(e.peer)];
  return counts;
}

std::string first_imbalance(const neighborhood& n, rank_id rank, std::span<const int> sent_here,
                            std::span<const int> received_from_here) {
  const auto size = static_cast<std::uint32_t>(sent_here.size());
  const std::vector<int> from = edge_counts(n.sources, size), to = edge_counts(n.destinations, size);
  constexpr const char* difference = "rank {} lists {} edge(s) to rank {}, but rank {} lists {} edge(s) from "
                                     "it; both ends must list every edge, equally often";
  for (std::uint32_t r = 0; r < size; ++r) {
    if (from[r] != sent_here[r])
      return fmt::format(difference, r, sent_here[r], index(rank), index(rank), from[r]);
    if (to[r] != received_from_here[r])
      return fmt::format(difference, index(rank), to[r], r, r, received_from_here[r]);
  }
  return {};
}

} // namespace tacit::neighbors
