// Where one rank stands among those that compile together.
#pragma once

#include <mpi.h>

namespace tacit::runtime {

struct rank_position {
  int rank = 0, size = 0;
  MPI_Comm comm = MPI_COMM_NULL; ///< of ours; nothing else happens on it meanwhile
};

} // namespace tacit::runtime
