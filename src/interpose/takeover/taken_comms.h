// Communicators whose neighborhood collectives are taken over.
//
// Problem. A neighborhood collective is either ours on all ranks of the communicator or the library's on all
// of them, and what one rank knows (its memory, its edges) the others do not. So the choice is made once per
// communicator, by all its ranks together, and kept with it as an attribute: everything that may fail is done
// there, and whoever cannot tells the others before anybody starts.
//
// When. At the first blocking or _init neighborhood collective on the communicator, which may wait for the other ranks: what
// nobody uses costs nothing. A nonblocking one may not wait. Nor may the duplicate be made beside it: Open MPI 4.1.4
// hangs if one rank meanwhile waits in MPI_Comm_dup, where the other comes only after the exchange (applied.c,
// blocked-dup). So the call that makes the communicator prepares it, if some rank's program itself has nonblocking
// neighborhood collectives; else a nonblocking call goes to the library, on all ranks alike, since they all make the same
// sequence of calls on it.
//
// Cost: MPI_Comm_idup and four small reductions, once per communicator.
#pragma once

#include "interpose/layer/left_calls.h"
#include "interpose/takeover/blocking_trial.h"
#include "interpose/takeover/library_verdict.h"
#include "interpose/takeover/takeover_report.h"
#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/exchange/neighbor_error.h"

#include <array>
#include <memory>
#include <mpi.h>
#include <string>

namespace tacit::interpose {

struct taken_comm {
  std::shared_ptr<runtime::neighbor_communicator> home; ///< null: left to the library
  outcome why = outcome::taken;                         ///< and why
  MPI_Comm user = MPI_COMM_NULL;                        ///< null once the program has freed it
  bool renewable = true;         ///< false: when its tags were used up, no new duplicate could be made
  functions_of_library may_do{}; ///< the library may do blocking calls of these functions where it is faster
  std::array<blocking_trial, leavable_calls> trials{}; ///< per function
  allowances left{};  ///< of each function, calls that need not be shown to us
  std::string said{}; ///< why it is left to the library, as far as it has to be said
};

using comm_handle = std::shared_ptr<taken_comm>;

/// What was decided for this communicator; null if nothing yet. Local.
comm_handle known_comm(MPI_Comm comm);
/// The same, decided now if it was not: collective over `comm`. Null: some rank has no memory even to note it, the
/// call goes to the library on all ranks. Throws mpi_error if MPI fails.
comm_handle decided_comm(MPI_Comm comm);
/// In a blocking call on a communicator where the library may do this one, number `function` of the five: whether it does, and
/// whether that is timed. Collective at the end of a trial. Throws neighbor_error and mpi_error.
blocking_trial::turn take_turn(taken_comm& c, std::size_t function);
/// In an _init call: in place of a `home` whose tags are used up, one on a new duplicate; earlier operations
/// keep theirs. All ranks have made the same _init calls, so all come here in the same one. Collective. If
/// some rank cannot, the old one stays on all. Throws mpi_error if MPI fails.
void renew_if_worn_out(taken_comm& c);
/// Before MPI_Finalize, when no operation is left.
void release_comms();

outcome outcome_of(const runtime::neighbor_error& e);

/// Tells the program through the communicator's error handler; returns `code`.
int raise_error(const taken_comm& comm, int code);

} // namespace tacit::interpose
