// The first step of preparing together: every pair of ranks exchanges the sizes of its edges and compares
// them, so that a contradiction is found here and not while the program computes, and messages that are empty
// can be left out.
#pragma once

#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <map>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// Bytes of all edges with each peer, by channel.
using peer_sizes = std::map<rank_id, std::vector<std::uint64_t>>;

/// `blocks` empty: this rank has an error of its own, and says so in place of sizes.
peer_sizes sizes_by_peer(const std::vector<neighbors::edge>& edges,
                         const std::vector<std::vector<graphs::segment>>& blocks);

/// What the sources of this rank say that they will send. Waits for all neighbors. Throws mpi_error.
peer_sizes exchange_sizes(const peer_sizes& sent, const peer_sizes& expected, int tag, MPI_Comm comm);

/// Throws neighbor_error naming the first edge on which the ends disagree.
void compare_sizes(const neighbors::neighborhood& n, const peer_sizes& expected, const peer_sizes& announced);

} // namespace tacit::runtime
