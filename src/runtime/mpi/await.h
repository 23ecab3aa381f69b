// Waiting for MPI's own requests while everything else that is under way goes on. Inside of resumable_work all of these give the thread back
// instead.
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

/// What goes on meanwhile, once: for loops that wait for what is no request.
void go_on();

/// Between two looks in vain: offers the core to others. Yielding is best where the others wait, too (0.3 us, or what it
/// takes them to look); but who yields to a busy process gets the core back only after that one's time slice, so where a
/// yield has shown that there is one, it sleeps for as short as the kernel lets it the next times: who sleeps gets a core
/// when it wakes. Allocates nothing. True if this offer has shown one.
bool offer_core();
/// To be called after such an offer: who had the core meanwhile works for what this thread waits for, and gives it back when that is done. To sleep
/// the next times would take the core away from it again and again.
void keep_yielding();

/// Says what goes on meanwhile: `round` progresses everything once, and returns whether there may be more to
/// do, so that the wait must not be left to MPI. Said by progress.h before anything is under way.
void go_on_meanwhile(bool (*round)());

} // namespace tacit::runtime
