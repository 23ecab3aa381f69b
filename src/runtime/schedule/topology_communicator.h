// Communicators with a topology of ours attached: as a duplicate, or with the ranks given to the processes
// that suit the topology (topology/mapping.h). Collective; an error of one rank is thrown on all.
#pragma once

#include "neighbors/topology/topology.h"

#include <memory>
#include <mpi.h>

namespace tacit::runtime {

/// A null topology is an error, and so is a communicator that is not wanted, because nobody can take it.
MPI_Comm make_topology_comm(const std::shared_ptr<const neighbors::topology>& t, MPI_Comm comm, bool wanted);
MPI_Comm make_reordered_comm(const std::shared_ptr<const neighbors::topology>& t, MPI_Comm comm, bool wanted);

} // namespace tacit::runtime
