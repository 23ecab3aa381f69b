// The thread that submits, as who waits for messages sees it: whether it is who had the core meanwhile.
//
// Who yields its core and gets it back late does not know who had it. The thread that submits gives it back as soon as it waits for its
// tasks, and until then every rank waits for it; a stranger keeps it for a time slice each time (offer_core). It was the one that
// submits if this last submitted on the core in question, and ran for at least half of the time since that was asked before. Of a time
// that is longer than some slices this says nothing; but the next long turn comes at once, if it was a stranger's.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace tacit::runtime {

class submitting_thread {
public:
  /// To be called by it, with each task.
  void submits() noexcept;
  /// How many tasks it has submitted.
  std::uint64_t tasks() const noexcept { return tasks_.load(std::memory_order_relaxed); }
  /// To be called, by one thread at a time, when it has got its core back after long, and something was submitted meanwhile.
  bool had_this_core() noexcept;

private:
  std::atomic<std::uint64_t> tasks_{0};
  std::atomic<int> core_{-1};
  std::atomic<clockid_t> clock_{CLOCK_THREAD_CPUTIME_ID}; ///< of the time that it runs
  double asked_ = 0, had_run_ = 0;                        ///< seconds: when, and how long by then
};

} // namespace tacit::runtime
