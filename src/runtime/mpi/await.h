// Waiting for MPI's own requests while everything else that is under way goes on.
#pragma once

#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// Blocks until all requests have completed, progressing all executions. Throws mpi_error naming `call`.
void await(std::vector<MPI_Request> requests, const char* call);

} // namespace tacit::runtime
