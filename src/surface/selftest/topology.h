// The topologies that are tried, as every rank's neighbor lists, and the oracle: which block of which rank
// has to arrive in which slot.
//
// Nothing here communicates or asks MPI, and nothing is shared with the library's own idea of topologies: the
// oracle must not repeat its mistakes. The rules are those of MPI-4.1, chapter 8:
//
// * Cartesian (8.6, Example 8.10): slots 2d and 2d+1 belong to the lower and upper neighbor in dimension d.
//   The block that a rank sends in slot s arrives in its neighbor's slot s^1. That is evident in general
//   and decides where both neighbors are the same rank: on periodic dimensions of size 1 and 2.
// * Graphs (8.6): the k-th edge from a to b in a's list of destinations is the k-th edge from a in b's list
//   of sources.
// * Neighbors that do not exist (open boundaries) send nothing; the slot's bytes are left alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::surface {

/// Verdicts are given per class, because the faults of real libraries differ between them.
enum class topology_class : std::uint8_t {
  cart_open,     ///< no periodic dimension
  cart_periodic, ///< periodic dimensions have 3 ranks or more
  cart_two,      ///< a periodic dimension of size 2, none of size 1
  cart_one,      ///< a periodic dimension of size 1
  graph,         ///< MPI_Graph_create, each edge once, none to oneself
  graph_multi,   ///< the same with parallel edges or edges to oneself
  dist,          ///< MPI_Dist_graph_create(_adjacent), each edge once, none to oneself
  dist_multi,    ///< the same with parallel edges or edges to oneself
};

enum class maker : std::uint8_t { cart, graph, dist_adjacent, dist_general };

/// A neighbor that does not exist.
inline constexpr int nobody = -1;

struct topology {
  maker made_by = maker::cart;
  std::string words; ///< for people
  bool reorder = false, weights = false;
  std::vector<int> sizes, periodic; ///< of a Cartesian one
  /// Per rank, in the order of the slots.
  std::vector<std::vector<int>> sources, destinations;

  topology_class kind() const;
};

/// Whose block it is, and which of the sender's.
struct origin {
  int sender = nobody, slot = 0;
};

/// What has to arrive at `rank` in `slot`; the sender is `nobody` if nothing may.
origin expected_origin(const topology& where, int rank, int slot);

/// A Cartesian topology with its neighbor lists.
topology make_cart(std::vector<int> sizes, std::vector<int> periodic);

struct selection {
  std::uint64_t seed = 1;
  int dimensions = 4;    ///< of Cartesian shapes, at most
  int every = 1;         ///< only each so many-th Cartesian shape
  int random_graphs = 6; ///< of each kind
};

/// All topologies for so many ranks, in an order that depends on nothing else.
std::vector<topology> make_topologies(int ranks, const selection& wanted);

} // namespace tacit::surface
