#pragma once

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"

#include <mpi.h>
#include <utility>

namespace tacit::runtime {

/// A communicator of ours, freed (collectively, as MPI has it) unless it is released.
class private_communicator {
public:
  private_communicator() = default;
  /// A duplicate of the user's that returns errors: what fails in it runs no handler of the user's, who hears
  /// of it once, from us. Collective; what is under way goes on meanwhile. Throws mpi_error.
  static private_communicator like(MPI_Comm user) {
    MPI_Comm duplicate = MPI_COMM_NULL; // what MPI leaves in it if it fails must not be freed
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(start_duplicate(user, &duplicate, &request), "MPI_Comm_idup");
    await(request, "MPI_Comm_idup");
    private_communicator made;
    made.comm_ = duplicate;
    check_mpi(MPI_Comm_set_errhandler(made.comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return made;
  }
  private_communicator(private_communicator&& from) noexcept : comm_(from.release()) {}
  private_communicator& operator=(private_communicator&& from) noexcept {
    std::swap(comm_, from.comm_);
    return *this;
  }
  ~private_communicator() { free(comm_); }

  MPI_Comm comm() const { return comm_; }
  int rank() const {
    int rank = 0;
    check_mpi(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
    return rank;
  }
  int size() const {
    int size = 1;
    check_mpi(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
    return size;
  }
  /// For MPI functions that make a communicator.
  MPI_Comm* address() { return &comm_; }
  MPI_Comm release() { return std::exchange(comm_, MPI_COMM_NULL); }
  /// The user gets it, with the error handler of `parent`. Local. Throws mpi_error.
  MPI_Comm release_to_user(MPI_Comm parent) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check_mpi(MPI_Comm_get_errhandler(parent, &handler), "MPI_Comm_get_errhandler");
    const int result = MPI_Comm_set_errhandler(comm_, handler);
    MPI_Errhandler_free(&handler);
    check_mpi(result, "MPI_Comm_set_errhandler");
    return release();
  }
  /// Collective, as MPI has it; nothing if it is MPI_COMM_NULL, which it becomes.
  static void free(MPI_Comm& comm) noexcept {
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A duplicate as `private_communicator::like` makes it, while something else is done; on `user` nothing collective may happen
/// meanwhile. All ranks that have begun it complete it: without `finish` the destructor does.
class duplicate_under_way {
public:
  explicit duplicate_under_way(MPI_Comm user) {
    check_mpi(start_duplicate(user, &made_, &request_), "MPI_Comm_idup");
  }
  duplicate_under_way(const duplicate_under_way&) = delete;
  duplicate_under_way& operator=(const duplicate_under_way&) = delete;
  ~duplicate_under_way() {
    if (request_ != MPI_REQUEST_NULL && MPI_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS)
      private_communicator::free(made_);
  }
  private_communicator finish() {
    await(request_, "MPI_Comm_idup");
    private_communicator out;
    *out.address() = std::exchange(made_, MPI_COMM_NULL);
    check_mpi(MPI_Comm_set_errhandler(out.comm(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return out;
  }

private:
  MPI_Comm made_ = MPI_COMM_NULL; ///< a communicator when the request is complete, and has not failed
  MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace tacit::runtime
