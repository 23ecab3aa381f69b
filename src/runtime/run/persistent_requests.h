// Persistent collectives of one program: described while it is lowered, made together, started in each run.
#pragma once

#include "runtime/mpi/collective_calls.h"
#include "runtime/run/communicators.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// One call by whichever table, on a communicator that may exist only later.
using collective_call = std::function<void(const collective_calls&, MPI_Comm, MPI_Request*)>;

/// Outlives the runs that start them; the communicators outlive it.
class persistent_requests {
public:
  persistent_requests() = default;
  /// Local. What a failed run has left active is left to MPI, with its lists.
  ~persistent_requests();
  persistent_requests(const persistent_requests&) = delete;
  persistent_requests& operator=(const persistent_requests&) = delete;

  /// Local. Its position, for `start`.
  std::size_t add(comm_id comm, collective_call call);
  /// Makes all of them in the order in which they were added. Collective over each communicator. A failure does not end the attempt,
  /// because others may wait; the first one is thrown in the end.
  void create(const group_communicators& groups);
  /// Local. `request` is a copy, for MPI to complete.
  void start(std::size_t at, MPI_Request* request);

private:
  struct entry {
    comm_id comm;
    collective_call call; ///< holds the lists that MPI reads
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::unique_ptr<std::vector<entry>> entries_ = std::make_unique<std::vector<entry>>();
};

} // namespace tacit::runtime
