// Fences that all processes of a window pass together, each with a region of its own (TACIT_COALESCE_COLLECTIVE). What was collected
// goes to its target in one packed message, as somebody would write it by hand, and the target carries it out on its own memory:
//
//     MPI_Isend, Irecv  the messages, and with each whether its process has operations of MPI under way in this epoch
//     MPI_Win_fence     only if any has: they must not come between the loads and stores below, and keep their order
//                       each message is carried out when it is there
//     MPI_Win_fence     the program's; nobody leaves it, and begins a new epoch, before all have stored
//
// Gets and operations that fetch stay MPI's, as do those of operators and datatypes whose results depend on how the library computes them,
// and of places that are not in the target's memory. What must hold is agreed by all processes at the first such fence
// (exchange_ground.h); else fences are what they are without the promise.
#pragma once

#include "compiler/coalesce/region.h"

namespace tacit::compiler {

/// tacit_win_fence of a region with the promise. Collective.
int collective_fence(tacit_coalesce& region, int assertion, MPI_Win win);

} // namespace tacit::compiler
