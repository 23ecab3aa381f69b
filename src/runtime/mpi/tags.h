#pragma once

#include <mpi.h>

namespace tacit::runtime {

/// The highest tag of a communicator: messages of plans stay below it (tags_fit). Local.
int highest_tag(MPI_Comm comm);

} // namespace tacit::runtime
