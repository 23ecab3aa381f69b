// Communicators with a topology of ours attached: as a duplicate, or with the ranks given to the processes
// that suit the topology (topology/mapping.h). Collective; an error of one rank is thrown on all.
#pragma once

#include "neighbors/topology/topology.h"

#include <memory>
#include <mpi.h>

namespace tacit::surface {

/// A null topology or place is an error.
MPI_Comm make_topology_comm(const std::shared_ptr<const neighbors::topology>& t, MPI_Comm comm,
                            bool has_place);
MPI_Comm make_reordered_comm(const std::shared_ptr<const neighbors::topology>& t, MPI_Comm comm,
                             bool has_place);

} // namespace tacit::surface
