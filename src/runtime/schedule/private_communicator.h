#pragma once

#include "runtime/mpi/mpi_error.h"

#include <mpi.h>
#include <utility>

namespace tacit::runtime {

/// A communicator of ours, freed (collectively, as MPI has it) unless it is released.
struct private_communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  private_communicator() = default;
  private_communicator(private_communicator&& from) noexcept : comm(from.release()) {}
  ~private_communicator() {
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }
  /// A duplicate of the user's that returns errors: what fails in it runs no handler of the user's, who hears
  /// of it once, from us. Collective. Throws mpi_error.
  static private_communicator like(MPI_Comm user) {
    private_communicator made;
    check_mpi(MPI_Comm_dup(user, &made.comm), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return made;
  }
  MPI_Comm release() { return std::exchange(comm, MPI_COMM_NULL); }
  /// The user gets it, with the error handler of `parent`. Local. Throws mpi_error.
  MPI_Comm release_to_user(MPI_Comm parent) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check_mpi(MPI_Comm_get_errhandler(parent, &handler), "MPI_Comm_get_errhandler");
    const int result = MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    check_mpi(result, "MPI_Comm_set_errhandler");
    return release();
  }
};

} // namespace tacit::runtime
