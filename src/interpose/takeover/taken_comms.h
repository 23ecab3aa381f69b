// Communicators whose neighborhood collectives are taken over.
//
// Problem. A neighborhood collective is either ours on all ranks of the communicator or the library's on all
// of them, and what one rank knows (its memory, its edges) the others do not. So the choice is made once per
// communicator, by all its ranks together, and kept with it as an attribute: everything that may fail is done
// there, and whoever cannot tells the others before anybody starts.
//
// When. Only a call that may wait for other ranks can do that: the first blocking or _init neighborhood
// collective on the communicator, or, if some rank of the program has nonblocking ones, the call that makes
// the communicator. A nonblocking call on a communicator that has not been looked at yet goes to the library,
// on all ranks alike, since they all make the same sequence of calls on it.
//
// Cost: MPI_Comm_idup and four small reductions, once per communicator with a topology.
#pragma once

#include "interpose/takeover/takeover_report.h"
#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/exchange/neighbor_error.h"

#include <memory>
#include <mpi.h>

namespace tacit::interpose {

struct taken_comm {
  std::shared_ptr<runtime::neighbor_communicator> home; ///< null: left to the library
  outcome why = outcome::taken;                         ///< and why
  MPI_Comm user = MPI_COMM_NULL;                        ///< null once the program has freed it
  bool renewable = true; ///< false: when its tags were used up, no new duplicate could be made
};

using comm_handle = std::shared_ptr<taken_comm>;

/// What was decided for this communicator; null if nothing yet. Local.
comm_handle known_comm(MPI_Comm comm);
/// The same, decided now if it was not: collective over `comm`. Null: some rank has no memory even to note it, the
/// call goes to the library on all ranks. Throws mpi_error if MPI fails.
comm_handle decided_comm(MPI_Comm comm);
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
