// Values of ours that live as long as a communicator, or until MPI ends.
//
// MPI deletes a communicator's attributes when it is freed, and MPI_COMM_SELF's first thing in MPI_Finalize: the last chance to give
// back what belongs to communicators that are never freed. `let_go` of the value is called in both cases, where all ranks of the
// communicator are.
#pragma once

#include "runtime/mpi/attributes.h"

#include <memory>
#include <mpi.h>
#include <mutex>
#include <utility>
#include <vector>

namespace tacit::runtime {

template <typename Value>
class attached {
public:
  using handle = std::shared_ptr<Value>;

  /// Null if the communicator has none. Local. Throws mpi_error.
  static handle of(MPI_Comm comm) {
    const handle* const found = homes().of(comm);
    return found ? *found : nullptr;
  }
  /// In place of what it has, which is not let go. Null: none. Local. Throws mpi_error and std::bad_alloc.
  static void set(MPI_Comm comm, handle value) {
    [[maybe_unused]] static const bool ends_with_mpi = (call_at_finalize(forget_all), true);
    if (handle* const before = homes().of(comm)) {
      *before = std::move(value);
      return;
    }
    const std::lock_guard lock(all().guard);
    all().list.reserve(all().list.size() + 1);
    all().list.push_back(&homes().set(comm, std::make_unique<handle>(std::move(value))));
  }

private:
  struct registry {
    std::mutex guard;
    std::vector<handle*> list;
  };
  /// Never destroyed: communicators are freed until the very end.
  static registry& all() {
    static registry* const one = new registry;
    return *one;
  }
  static comm_attribute<handle>& homes() {
    static constinit comm_attribute<handle> kept(nullptr, forget);
    return kept;
  }
  static int forget(MPI_Comm comm, int key, void* value, void* extra) {
    {
      const std::lock_guard lock(all().guard);
      std::erase(all().list, static_cast<handle*>(value));
    }
    if (const handle& mine = *static_cast<handle*>(value))
      mine->let_go();
    return comm_attribute<handle>::drop_value(comm, key, value, extra);
  }
  static int forget_all(MPI_Comm, int, void*, void*) {
    std::vector<handle*> left;
    {
      const std::lock_guard lock(all().guard);
      left = all().list;
    }
    for (handle* h : left)
      if (const handle mine = std::exchange(*h, nullptr)) // the attribute stays
        mine->let_go();
    return MPI_SUCCESS;
  }
};

} // namespace tacit::runtime
