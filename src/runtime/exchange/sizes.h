// The first step of preparing together: every pair of ranks exchanges the sizes of its edges and compares
// them, so that a contradiction is found here and not while the program computes, and messages that are empty
// can be left out.
//
// The ranks have not agreed on anything when sizes travel: a rank that has no memory for them must still send
// and receive as many as its neighbors expect. So their memory, which depends on the edges alone, belongs to
// the communicator.
#pragma once

#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// The sizes of all edges of one rank. Three words per edge; all functions but the constructor need no
/// memory.
class edge_sizes {
public:
  explicit edge_sizes(const neighbors::neighborhood& n);

  /// The sizes of this rank's blocks. `blocks` empty: it has an error of its own, and says so in place of
  /// sizes.
  void put(const neighbors::neighbor_blocks& blocks) noexcept;
  /// Learns what the sources of this rank say that they will send. Waits for all neighbors. Throws mpi_error.
  void exchange(int tag, MPI_Comm comm);
  /// Throws neighbor_error naming the first edge on which the ends disagree.
  void compare(const neighbors::neighborhood& n) const;

private:
  /// The edges of one peer, which stand one after the other, by channel.
  struct peer_edges {
    int peer = 0;
    std::size_t first = 0;
    int count = 0;
  };
  /// The edges of one direction.
  struct side {
    explicit side(const std::vector<neighbors::edge>& edges);
    void put(const std::vector<std::vector<graphs::segment>>& blocks) noexcept;

    std::vector<peer_edges> peers;
    std::vector<std::uint64_t> position; ///< by edge, in `words`; `no_size` at open boundaries
    std::vector<std::uint64_t> words;
  };

  side sources_, destinations_;
  std::vector<std::uint64_t> announced_; ///< as sources_.words
  std::vector<MPI_Request> requests_;
};

} // namespace tacit::runtime
