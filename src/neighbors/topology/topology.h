// Who a rank's neighbors are, and which of its edges belongs to which edge of theirs.
//
// A neighborhood collective moves one block over every edge. The edges of a rank are its slots: destination
// slot i sends block i, source slot i receives block i. Several edges may join one pair of ranks, and then
// both sides must agree which is which: the *channel* numbers the edges from one source to one destination
// 0, 1, 2 …, equal on both sides. Everything behind this room (plans, drivers) knows an edge by (source,
// destination, channel) and never asks again what kind of topology it came from.
//
// Source: MPI-4.1 chapter 8, section 8.6 and Example 8.10.
#pragma once

#include "vocabulary/base/ids.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit::neighbors {

struct edge {
  rank_id peer =
      no_rank; ///< no_rank: the open boundary; nothing is sent, and the receive block stays as it is
  std::uint32_t channel = 0; ///< which of the edges from source to destination; 0 at an open boundary
  int weight = 1;
  friend bool operator==(const edge&, const edge&) = default;
};

/// The edges of one rank, by slot.
struct neighborhood {
  std::vector<edge> sources, destinations;
  bool weighted = false; ///< the weights were given
  friend bool operator==(const neighborhood&, const neighborhood&) = default;
};

/// A grid of ranks in row-major order, as MPI_Cart_create makes it.
struct grid_shape {
  std::vector<int> dims;
  std::vector<bool> periodic; ///< per dimension
  friend bool operator==(const grid_shape&, const grid_shape&) = default;
};

/// The number of ranks of a grid (1 without dimensions), or 0 if a dimension is below 1 or the product does
/// not fit.
std::uint64_t ranks_of(const grid_shape& shape);
std::vector<int> coordinates_of(const grid_shape& shape, rank_id rank);
/// The rank `offset` steps away, wrapped in periodic dimensions; no_rank beyond an open boundary.
rank_id rank_at(const grid_shape& shape, std::span<const int> coordinates, std::span<const int> offset);

/// MPI's Cartesian neighborhood: slots 2d and 2d + 1 are the neighbors in negative and positive direction of
/// dimension d, sources and destinations alike.
neighborhood cartesian_neighborhood(const grid_shape& shape, rank_id rank);

/// The same relative neighbors everywhere (Träff and others: Cartesian collective communication, ICPP 2019):
/// destination slot i is the rank at offsets[i], source slot i the rank at -offsets[i].
neighborhood stencil_neighborhood(const grid_shape& shape, std::span<const std::vector<int>> offsets,
                                  rank_id rank);

/// Any directed graph, of which each rank knows its own edges (MPI_Dist_graph_*): the k-th edge to a
/// destination belongs to the k-th edge from that source there. Weights may be empty: unweighted.
neighborhood graph_neighborhood(std::span<const rank_id> sources, std::span<const int> source_weights,
                                std::span<const rank_id> destinations,
                                std::span<const int> destination_weights);

/// What a topology object holds: enough to tell the neighborhood of any rank (grid, stencil) or of this one.
struct topology {
  enum class kind : std::uint8_t { grid, stencil, graph };
  kind what = kind::graph;
  grid_shape shape;                      ///< grid, stencil
  std::vector<std::vector<int>> offsets; ///< stencil
  neighborhood edges;                    ///< graph: those of this rank

  neighborhood of(rank_id rank) const;
};

/// Empty if the topology fits a communicator of `size` ranks, else what does not and the remedy.
std::string misfit(const topology& t, std::uint32_t size);

/// Adds up to zero over all ranks of a communicator (modulo 2^64) if every edge that one side lists is listed
/// by the other one; a mistake goes unnoticed with a probability of 2^-64. So all ranks together can check a
/// topology with one reduction of one word.
std::uint64_t edge_balance(const neighborhood& n, rank_id rank);

/// How often each of `size` ranks occurs among these edges.
std::vector<int> edge_counts(std::span<const edge> edges, std::uint32_t size);

/// Compares what a rank lists with what the others list about it: `sent_here[r]` edges lead from r to
/// this rank according to r, `received_from_here[r]` from this rank to r according to r. Empty if all agree,
/// else the first difference, with both numbers.
std::string first_imbalance(const neighborhood& n, rank_id rank, std::span<const int> sent_here,
                            std::span<const int> received_from_here);

} // namespace tacit::neighbors
