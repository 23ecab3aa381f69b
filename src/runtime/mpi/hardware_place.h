// Where this process runs: its node (node_identity.h), the rest from hwloc.
#pragma once

#include "neighbors/topology/mapping.h"

namespace tacit::runtime {

/// Package, cache and core are known as far as the process is bound to them. `rank`: in the communicator that
/// is asked about. Local; asks the machine once. Throws mpi_error.
neighbors::hardware_place place_of_this_process(int rank);

} // namespace tacit::runtime
