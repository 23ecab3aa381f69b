// Which blocking neighborhood collectives the MPI library does rightly: others may not get calls that we do rightly.
//
// Versions of libraries and kinds of topologies that `tacit selftest` has found right in all cases (bench/results/selftest-*.json)
// stand in a table here; of all others nothing is known.
#pragma once

#include "interpose/layer/left_calls.h"

#include <bitset>
#include <mpi.h>

namespace tacit::interpose {

/// allgather, allgatherv, alltoall, alltoallv, alltoallw.
using functions_of_library = std::bitset<leavable_calls>;

/// On this communicator, which has a topology. `multiple_edges`: some rank has several edges to one rank, or one to itself.
/// The same on all ranks. Local. Throws mpi_error.
functions_of_library done_rightly_by_library(MPI_Comm comm, bool multiple_edges);

} // namespace tacit::interpose
