#include "runtime/mpi/resumable_work.h"

#include <cstddef>
#include <utility>

namespace tacit::runtime {
namespace {

/// MPI is called from there, and nobody says how much of a stack it needs. Pages that are not touched cost nothing.
constexpr std::size_t stack_bytes = 2 << 20;

/// Whose stack this thread is on; null on its own.
thread_local fiber* inside = nullptr;

} // namespace

resumable_work::resumable_work(std::function<void()> work)
    : work_(std::move(work)), stack_(
                                  [this] {
                                    try {
                                      work_();
                                    } catch (...) {
                                      failure_ = std::current_exception();
                                    }
                                    over_ = true;
                                  },
                                  stack_bytes) {}

bool resumable_work::go_on() {
  if (over_)
    return true;
  fiber* const before = std::exchange(inside, &stack_);
  stack_.resume();
  inside = before;
  if (!over_)
    return false;
  work_ = nullptr;
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
  return true;
}

bool resumable_work::pause() {
  if (!inside)
    return false;
  inside->suspend();
  return true;
}

bool resumable_work::is_inside() {
  return inside != nullptr;
}

} // namespace tacit::runtime
