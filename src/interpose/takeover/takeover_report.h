// What was taken over and what was left to the MPI library, counted on every rank and told once at the end.
#pragma once

#include "vocabulary/calls/mpi_calls.h"

#include <cstdint>

namespace tacit::interpose {

/// What becomes of a neighborhood collective of the program.
enum class outcome : std::uint8_t {
  taken,
  intercommunicator,
  no_topology,
  outside_world,  ///< members that have not been asked
  refused,        ///< members that may not take calls over
  not_prepared,   ///< nonblocking, on a communicator that has never met a call which may wait for other ranks
  contradiction,  ///< the ranks disagree about edges, sizes or options
  trouble,        ///< set-up failed on some rank
  pieces,         ///< a datatype has too many pieces
  wrong_argument, ///< the library says what is wrong
  count_of_outcomes,
};

/// Calls that no client may take over are not counted: the gate has said why.
void count_outcome(mpi_call call, outcome what);

/// Collective over MPI_COMM_WORLD: rank 0 says it on stderr.
void report_outcomes();
/// Local, for programs of MPI Sessions only: what this process has done.
void report_own_outcomes();

} // namespace tacit::interpose
