// The program's own computations, which schedules call while they advance.
#pragma once

namespace tacit::runtime {

/// Exists while a computation of the program runs on this thread.
class running_computation {
public:
  running_computation() { ++depth_; }
  ~running_computation() { --depth_; }
  running_computation(const running_computation&) = delete;
  running_computation& operator=(const running_computation&) = delete;
  /// True if the caller has been called by a computation, which must not communicate.
  static bool on_this_thread() { return depth_ > 0; }

private:
  static inline thread_local int depth_ = 0;
};

} // namespace tacit::runtime
