// A number of the run time's that tacit-transform says, too. Without mpi.h, so that both can include it.
#pragma once

#include <cstdint>

namespace tacit::compiler {

/// Bytes. Larger operations are MPI's own calls: from some KiB on a message costs as much as its bytes.
inline constexpr std::uint32_t largest_piece = 4096;

} // namespace tacit::compiler
