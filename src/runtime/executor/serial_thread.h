// A thread that runs functions one after the other: the scheduler's, and one for each group of collective host tasks.
#pragma once

#include "runtime/executor/local_buffer.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace tacit::runtime {

class serial_thread {
public:
  serial_thread();
  serial_thread(const serial_thread&) = delete;
  serial_thread& operator=(const serial_thread&) = delete;
  /// Waits for what was posted.
  ~serial_thread();
  void post(task_function what);

private:
  void run();
  std::mutex mutex_;
  std::condition_variable change_;
  std::deque<task_function> posted_;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace tacit::runtime
