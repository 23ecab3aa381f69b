// The program's own computations, which schedules call while they advance.
#pragma once

#include "vocabulary/base/ids.h"

#include <functional>
#include <map>

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

/// Those of one graph, by operation of the joined graph. A plan that is used for another graph gets that graph's.
struct graph_computations {
  std::map<op_id, std::function<void()>> by_operation;
};

} // namespace tacit::runtime
