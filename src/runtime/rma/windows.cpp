#include "runtime/rma/windows.h"

#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <mutex>

namespace tacit::runtime {
namespace {

using held = std::shared_ptr<rma_windows>;

/// All windows of this process that have not been freed, in the order of making.
struct registry {
  std::mutex guard;
  int keyval = MPI_KEYVAL_INVALID;
  std::vector<std::shared_ptr<rma_window>> windows;
};

registry& all() {
  static registry* const r = new registry;
  return *r;
}

void free_window(rma_window& window) {
  if (window.handle == MPI_WIN_NULL)
    return;
  MPI_Win_unlock_all(window.handle);
  MPI_Win_free(&window.handle);
  window.handle = MPI_WIN_NULL;
}

int forget(MPI_Comm, int, void* value, void*) {
  delete static_cast<held*>(value);
  return MPI_SUCCESS;
}

/// First thing in MPI_Finalize, where all ranks are.
int free_all(MPI_Comm, int, void*, void*) {
  std::vector<std::shared_ptr<rma_window>> left;
  {
    const std::lock_guard lock(all().guard);
    left.swap(all().windows);
  }
  for (const auto& window : left)
    free_window(*window);
  return MPI_SUCCESS;
}

int keyval() {
  registry& r = all();
  const std::lock_guard lock(r.guard);
  if (r.keyval == MPI_KEYVAL_INVALID) {
    int at_finalize = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &at_finalize, nullptr),
              "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, at_finalize, nullptr), "MPI_Comm_set_attr");
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &r.keyval, nullptr),
              "MPI_Comm_create_keyval");
  }
  return r.keyval;
}

void forget_window(const rma_window& window) {
  const std::lock_guard lock(all().guard);
  std::erase_if(all().windows, [&](const auto& w) { return w.get() == &window; });
}

} // namespace

std::shared_ptr<rma_windows> rma_windows::of(MPI_Comm comm) {
  const int key = keyval();
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  if (found)
    return *static_cast<held*>(value);
  auto made = std::make_unique<held>(std::make_shared<rma_windows>());
  check_mpi(MPI_Comm_set_attr(comm, key, made.get()), "MPI_Comm_set_attr");
  return *made.release();
}

void rma_windows::add(const std::shared_ptr<rma_window>& window) {
  list_.push_back(window);
  const std::lock_guard lock(all().guard);
  all().windows.push_back(window);
}

std::uint64_t rma_windows::given_up() const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(64, list_.size()); ++i)
    bits |= std::uint64_t{!list_[i]->in_use} << i;
  return bits;
}

MPI_Comm rma_windows::communicator(MPI_Comm comm) {
  if (own_ == MPI_COMM_NULL) {
    check_mpi(MPI_Comm_dup(comm, &own_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  return own_;
}

void rma_windows::free(std::uint64_t everywhere) {
  std::vector<std::shared_ptr<rma_window>> chosen;
  for (std::size_t i = 0; i < std::min<std::size_t>(64, list_.size()); ++i)
    if (everywhere >> i & 1)
      chosen.push_back(list_[i]);
  for (const auto& window : chosen)
    drop(*window);
}

void rma_windows::drop(rma_window& window) {
  free_window(window);
  forget_window(window);
  std::erase_if(list_, [&](const auto& w) { return w.get() == &window; });
}

void rma_windows::free(rma_window& window) {
  drop(window);
  if (list_.empty() && own_ != MPI_COMM_NULL)
    MPI_Comm_free(&own_);
}

} // namespace tacit::runtime
