#include "runtime/schedule/watched_communicator.h"

#include "runtime/mpi/attributes.h"

#include <memory>

namespace tacit::runtime {
namespace {

using mark = std::shared_ptr<std::atomic<bool>>;

int say_freed(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<mark> exists(static_cast<mark*>(value));
  **exists = false;
  return MPI_SUCCESS;
}

/// The mark of this communicator, made if it is not watched yet.
mark mark_of(MPI_Comm comm) {
  static comm_attribute<mark>& marks = *new comm_attribute<mark>(nullptr, say_freed);
  if (const mark* const known = marks.of(comm))
    return *known;
  return marks.set(comm, std::make_unique<mark>(std::make_shared<std::atomic<bool>>(true)));
}

} // namespace

watched_communicator::watched_communicator(MPI_Comm comm) : comm_(comm), exists_(mark_of(comm)) {}

} // namespace tacit::runtime
