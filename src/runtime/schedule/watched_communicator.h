// A communicator of the program's, which it may free while we remember it.
//
// MPI deletes the attributes of a communicator when it is freed; ours says so to whoever watches. A handle
// that was freed must not be given to MPI any more, not even to ask whether it is valid.
#pragma once

#include <atomic>
#include <memory>
#include <mpi.h>

namespace tacit::runtime {

class watched_communicator {
public:
  /// Local. Throws mpi_error.
  explicit watched_communicator(MPI_Comm comm);
  /// MPI_COMM_NULL if the program has freed it.
  MPI_Comm get() const { return *exists_ ? comm_ : MPI_COMM_NULL; }

private:
  MPI_Comm comm_;
  std::shared_ptr<const std::atomic<bool>> exists_; ///< shared with the attribute
};

} // namespace tacit::runtime
