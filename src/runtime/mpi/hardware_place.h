// Where this process runs: its node by the name MPI has for it, the rest from hwloc.
#pragma once

#include "neighbors/topology/mapping.h"

namespace tacit::runtime {

/// Package, cache and core are known as far as the process is bound to them. Local; asks the machine once.
/// Throws mpi_error.
neighbors::hardware_place place_of_this_process();

} // namespace tacit::runtime
