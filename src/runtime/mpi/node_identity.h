#pragma once

#include <cstdint>

namespace tacit::runtime {

/// Two nodes, two words: by processor names, or, if TACIT_RANKS_PER_NODE is set (to try nodes out on one
/// machine), by the rank in the communicator that is asked about. Equal on all ranks of a node, whatever
/// their build. Local. Throws mpi_error.
std::uint64_t node_identity(int rank);

} // namespace tacit::runtime
