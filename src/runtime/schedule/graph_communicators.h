// Several communicators in one graph.
//
// Handles of communicators mean nothing on other ranks, so the members agree on a number when they add one:
// member 0 takes its rank in the graph and a count of its own, and broadcasts both.
#pragma once

#include "runtime/schedule/graph_builder.h"
#include "vocabulary/base/function_ref.h"

#include <mpi.h>

namespace tacit::runtime {

/// Makes `comm` known to the parts of one graph at all its members, for messages that match among themselves;
/// the same one may be added again, as another one. Returns its number in this rank's part. `part` gives that
/// part, or throws what is wrong on this rank; what one member throws all throw. Collective over `comm`,
/// which may be freed afterwards.
int add_communicator(MPI_Comm comm, function_ref<graph_builder&()> part);

} // namespace tacit::runtime
