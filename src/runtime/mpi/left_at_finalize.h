// What still has something to do when MPI ends, because the program has not freed it.
#pragma once

#include "runtime/mpi/attributes.h"

#include <mpi.h>
#include <mutex>
#include <utility>
#include <vector>

namespace tacit::runtime {

/// The objects of one kind in this process; `end` is called in MPI_Finalize with those that are left.
template <typename One, void (*end)(const std::vector<One*>&)>
class left_at_finalize {
public:
  /// Throws mpi_error and std::bad_alloc. Local.
  static void add(One* one) {
    [[maybe_unused]] static const bool ends_with_mpi = (call_at_finalize(end_all), true);
    const std::lock_guard lock(all().guard);
    all().list.push_back(one);
  }
  /// Nothing if it is not there.
  static void remove(One* one) noexcept {
    const std::lock_guard lock(all().guard);
    std::erase(all().list, one);
  }

private:
  struct registry {
    std::mutex guard;
    std::vector<One*> list;
  };
  /// Never destroyed, as what is never freed is on it.
  static registry& all() {
    static registry* const one = new registry;
    return *one;
  }
  static int end_all(MPI_Comm, int, void*, void*) {
    std::vector<One*> left;
    {
      const std::lock_guard lock(all().guard);
      left.swap(all().list);
    }
    end(left);
    return MPI_SUCCESS;
  }
};

} // namespace tacit::runtime
