// The neighborhoods that are measured, for any number of ranks: who sends to whom, and communicators with
// that topology for MPI and for tacit.
#pragma once

#include <mpi.h>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct pattern {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;  ///< with MPI's topology
  MPI_Comm tacit = MPI_COMM_NULL; ///< with the topology that tacit takes; may be the same
  /// By slot. A block that is sent with a tag is received with the same one.
  std::vector<int> destinations, sources, send_tags, receive_tags;
};

inline constexpr std::string_view pattern_names[] = {"pair", "torus2d", "torus4d", "stencil27", "stencil125"};

/// Collective. "pair": ranks 2k and 2k+1 are each other's only neighbor; "torus…": the 2d neighbors on a
/// periodic grid as cubic as the number of ranks allows; "stencil…": all neighbors up to distance 1 or 2 in
/// three dimensions, the rank itself included.
pattern make_pattern(std::string_view name);
/// Frees the communicators of a pattern; collective.
void free_pattern(pattern& p);

} // namespace bench
