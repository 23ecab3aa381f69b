// The rank of this process and the number of ranks, with MPI's errors as exceptions.
#pragma once

#include "runtime/mpi/mpi_error.h"

#include <mpi.h>

namespace tacit::runtime {

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 1;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

} // namespace tacit::runtime
