// The topology of a communicator: one of ours if attached, else MPI's own.
#pragma once

#include "neighbors/topology/topology.h"

#include <memory>
#include <mpi.h>

namespace tacit::runtime {

/// Attaches; duplicates of the communicator (MPI_Comm_dup) inherit it. Local. Throws mpi_error.
void attach_topology(MPI_Comm comm, std::shared_ptr<const neighbors::topology> t);

/// The attached one, or null. Local.
std::shared_ptr<const neighbors::topology> attached_topology(MPI_Comm comm);

/// This rank's neighborhood. Throws neighbor_error: no topology, or a graph (MPI_Graph_create) in which two
/// ranks list each other unequally often. Local.
neighbors::neighborhood neighborhood_of(MPI_Comm comm);

} // namespace tacit::runtime
