#include "runtime/rma/windows.h"

#include "runtime/mpi/attributes.h"

#include <algorithm>
#include <mutex>

namespace tacit::runtime {
namespace {

using held = std::shared_ptr<rma_windows>;

/// All windows of this process that have not been freed, in the order of making.
struct registry {
  std::mutex guard;
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

comm_attribute<held>& lists() {
  static comm_attribute<held>& kept = *[] {
    call_at_finalize(free_all);
    return new comm_attribute<held>; // communicators are freed until the very end
  }();
  return kept;
}

void forget_window(const rma_window& window) {
  const std::lock_guard lock(all().guard);
  std::erase_if(all().windows, [&](const auto& w) { return w.get() == &window; });
}

} // namespace

std::shared_ptr<rma_windows> rma_windows::of(MPI_Comm comm) {
  if (const held* const found = lists().of(comm))
    return *found;
  return lists().set(comm, std::make_unique<held>(std::make_shared<rma_windows>()));
}

std::shared_ptr<rma_window> rma_windows::make_room() {
  list_.reserve(list_.size() + 1);
  auto window = std::make_shared<rma_window>();
  const std::lock_guard lock(all().guard);
  all().windows.push_back(window);
  return window;
}

void rma_windows::give_back(const std::shared_ptr<rma_window>& window) {
  if (window)
    forget_window(*window);
}

void rma_windows::add(const std::shared_ptr<rma_window>& window) {
  list_.push_back(window);
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
  for (std::size_t i = std::min<std::size_t>(64, list_.size()); i-- > 0;) // earlier ones stay where they are
    if (everywhere >> i & 1) {
      const std::shared_ptr<rma_window> window = list_[i];
      drop(*window);
    }
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
