#pragma once

#include <mpi.h>
#include <utility>

namespace tacit::runtime {

/// A communicator of ours, freed (collectively, as MPI has it) unless it is released.
struct private_communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  private_communicator() = default;
  private_communicator(const private_communicator&) = delete;
  private_communicator& operator=(const private_communicator&) = delete;
  ~private_communicator() {
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }
  MPI_Comm release() { return std::exchange(comm, MPI_COMM_NULL); }
};

} // namespace tacit::runtime
