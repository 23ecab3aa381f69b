#include "runtime/executor/submitting_thread.h"

#include <optional>
#include <pthread.h>
#include <sched.h>
#include <utility>

namespace tacit::runtime {

namespace {

std::optional<double> seconds_of(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) // the thread has ended
    return std::nullopt;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

} // namespace

void submitting_thread::submits() noexcept {
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0)
    clock_.store(clock, std::memory_order_relaxed);
  core_.store(sched_getcpu(), std::memory_order_relaxed);
  tasks_.fetch_add(1, std::memory_order_relaxed);
}

bool submitting_thread::had_this_core() noexcept {
  constexpr double some_slices = 20e-3;
  const std::optional<double> now = seconds_of(CLOCK_MONOTONIC),
                              runs = seconds_of(clock_.load(std::memory_order_relaxed));
  if (!now || !runs || core_.load(std::memory_order_relaxed) != sched_getcpu())
    return false;
  const double since = *now - std::exchange(asked_, *now), ran = *runs - std::exchange(had_run_, *runs);
  return since > some_slices || ran >= since / 2;
}

} // namespace tacit::runtime
