// Which processes are on one node.
#pragma once

#include <cstdint>

namespace tacit::compiler {

/// The same number for processes of one node, which have one clock. TACIT_RANKS_PER_NODE plays more nodes than there are, as everywhere, but
/// never fewer: clocks of two machines cannot be compared. Local.
/// This is another one than runtime/mpi/node_identity.h, which lets that variable join machines, throws, and needs a C++ library, without which
/// programs of C are linked with this room.
std::uint64_t node_of(int rank);

} // namespace tacit::compiler
