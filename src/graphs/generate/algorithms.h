// The algorithms, written against the weaver. Positions 0 … p−1 are those of the communicator.
#pragma once

#include "graphs/generate/weaver.h"

namespace tacit::graphs {

void weave_bcast(weaver& w, algorithm form, std::uint32_t root);
void weave_scatter(weaver& w, algorithm form, std::uint32_t root);
void weave_gather(weaver& w, algorithm form, std::uint32_t root);
void weave_allgather(weaver& w, algorithm form, std::uint32_t root);
void weave_alltoall(weaver& w, algorithm form);
void weave_barrier(weaver& w, algorithm form, std::uint32_t root);
/// Ascending; nodes in the order of their first positions.
std::vector<std::vector<std::uint32_t>> positions_by_node(std::span<const std::uint32_t> node);
/// `node`: of each position. The root leads its node.
void weave_two_levels(weaver& w, pattern kind, std::span<const std::uint32_t> node, std::uint32_t root);
/// Of patterns that combine; neighbors meet if the nodes are in a row.
void weave_combining_in_two_levels(weaver& w, pattern kind, std::span<const std::uint32_t> node,
                                   std::uint32_t root);
void weave_reduce(weaver& w, algorithm form, std::uint32_t root);
void weave_allreduce(weaver& w, algorithm form, std::uint32_t root);
void weave_reduce_scatter(weaver& w, algorithm form);
void weave_scan(weaver& w, algorithm form, bool inclusive);

/// Calls edge(parent, child, subtree) for each edge of the binomial tree over positions relative to the root,
/// parents before children: the parent of v is v without its lowest set bit; the child's subtree is [child,
/// child + subtree).
template <typename Edge>
void each_binomial_edge(std::uint32_t p, Edge edge) {
  std::uint32_t top = 1;
  while (top < p)
    top *= 2;
  for (std::uint32_t mask = top / 2; mask > 0; mask /= 2)
    for (std::uint32_t v = 0; v + mask < p; v += 2 * mask)
      edge(v, v + mask, v + 2 * mask < p ? mask : p - v - mask);
}

/// The same edges, children before parents.
template <typename Edge>
void each_binomial_edge_up(std::uint32_t p, Edge edge) {
  for (std::uint32_t mask = 1; mask < p; mask *= 2)
    for (std::uint32_t v = 0; v + mask < p; v += 2 * mask)
      edge(v, v + mask, v + 2 * mask < p ? mask : p - v - mask);
}

/// The standard fold of an exchange among a power of two of ranks to any p: the first `extra` odd positions
/// stand back and their left neighbors take part for them.
struct fold {
  explicit fold(std::uint32_t p);
  std::uint32_t active; ///< largest power of two ≤ p
  std::uint32_t extra;  ///< p − active
  std::uint32_t position(std::uint32_t i) const { return i < extra ? 2 * i : i + extra; }
};

} // namespace tacit::graphs
