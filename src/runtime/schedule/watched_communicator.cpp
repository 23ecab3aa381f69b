#include "runtime/schedule/watched_communicator.h"

#include "runtime/mpi/mpi_error.h"

#include <mutex>

namespace tacit::runtime {
namespace {

using mark = std::shared_ptr<std::atomic<bool>>;

int say_freed(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<mark> exists(static_cast<mark*>(value));
  **exists = false;
  return MPI_SUCCESS;
}

int keyval() {
  static std::mutex guard;
  static int made = MPI_KEYVAL_INVALID;
  const std::lock_guard lock(guard);
  if (made == MPI_KEYVAL_INVALID)
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say_freed, &made, nullptr),
              "MPI_Comm_create_keyval");
  return made;
}

/// The mark of this communicator, made if it is not watched yet.
mark mark_of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval(), &value, &found), "MPI_Comm_get_attr");
  if (found)
    return *static_cast<mark*>(value);
  auto held = std::make_unique<mark>(std::make_shared<std::atomic<bool>>(true));
  const mark made = *held;
  check_mpi(MPI_Comm_set_attr(comm, keyval(), held.get()), "MPI_Comm_set_attr");
  held.release(); // NOLINT(bugprone-unused-return-value): say_freed deletes it
  return made;
}

} // namespace

watched_communicator::watched_communicator(MPI_Comm comm) : comm_(comm), exists_(mark_of(comm)) {}

} // namespace tacit::runtime
