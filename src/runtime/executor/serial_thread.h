// A thread that runs functions one after the other: the scheduler's, and one for each group of collective host tasks.
#pragma once

#include "runtime/executor/local_buffer.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tacit::runtime {

class serial_thread {
public:
  /// `rest` is called whenever all that was posted has run.
  explicit serial_thread(task_function rest = nullptr);
  serial_thread(const serial_thread&) = delete;
  serial_thread& operator=(const serial_thread&) = delete;
  /// Waits for what was posted.
  ~serial_thread();
  void post(task_function what);

private:
  void run();
  task_function rest_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::vector<task_function> posted_;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace tacit::runtime
