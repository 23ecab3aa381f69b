// Waiting for MPI's own requests while everything else that is under way goes on.
#pragma once

#include <mpi.h>
#include <span>

namespace tacit::runtime {

/// Blocks until all requests have completed, while what is under way goes on. Allocates nothing itself.
/// Throws mpi_error naming `call`.
void await(std::span<MPI_Request> requests, const char* call);
inline void await(MPI_Request& request, const char* call) {
  await(std::span(&request, 1), call);
}

/// Says what goes on meanwhile: `round` progresses everything once, and returns whether there may be more to
/// do, so that the wait must not be left to MPI. Said by progress.h before anything is under way.
void go_on_meanwhile(bool (*round)());

} // namespace tacit::runtime
