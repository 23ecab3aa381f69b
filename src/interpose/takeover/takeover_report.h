// What tacit did and what went to the MPI library, counted on every rank and told once at the end.
//
// A call can be taken over and still be done by the library: where MPI's native call is the variant to take,
// tacit only passes it on. That is counted with what was left. A prepared operation may try several variants
// and change the one it takes, so its starts are counted too, each by who did it.
#pragma once

#include "vocabulary/calls/mpi_calls.h"

#include <cstdint>

namespace tacit::interpose {

/// What becomes of a neighborhood collective of the program.
enum class outcome : std::uint8_t {
  taken,  ///< done by tacit
  native, ///< MPI's native call was the variant to take, or was tried
  intercommunicator,
  no_topology,
  outside_world,  ///< members that have not been asked
  refused,        ///< members that may not take calls over
  not_prepared,   ///< nonblocking, on a communicator that has never met a call which may wait for other ranks
  contradiction,  ///< the ranks disagree about edges or sizes
  settings,       ///< variables or info keys that are not understood, or that differ between ranks
  trouble,        ///< set-up failed on some rank
  pieces,         ///< a datatype has too many pieces
  device,         ///< a buffer is in device memory
  wrong_argument, ///< the library says what is wrong
  count_of_outcomes,
};

/// Calls that no client may take over are not counted: the coverage check has said why.
void count_outcome(mpi_call call, outcome what, std::uint64_t times = 1);

/// A prepared operation was started, and this did it.
void count_start(bool native);

/// Collective over MPI_COMM_WORLD: rank 0 says it on stderr.
void report_outcomes();
/// Local, for programs of MPI Sessions only: what this process has done.
void report_own_outcomes();

} // namespace tacit::interpose
