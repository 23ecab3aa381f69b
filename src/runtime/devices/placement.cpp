// Which memory accessors take that are copied on this thread (detail::placement).
#include <tacit/tasks/library.hpp>
#include <utility>

namespace tacit {

task_error::~task_error() = default;

namespace detail {

namespace {
thread_local const placement* current = nullptr;
}

const placement* current_placement() noexcept {
  return current;
}

const placement* set_current_placement(const placement* now) noexcept {
  return std::exchange(current, now);
}

} // namespace detail
} // namespace tacit
