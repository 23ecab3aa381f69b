// A thread that runs functions one after the other: the scheduler's, one for each group of collective host tasks, that of Kokkos.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tacit::runtime {

class serial_thread {
public:
  /// `rest` is called whenever all that was posted has run.
  explicit serial_thread(std::function<void()> rest = nullptr);
  serial_thread(const serial_thread&) = delete;
  serial_thread& operator=(const serial_thread&) = delete;
  /// Waits for what was posted.
  ~serial_thread();
  void post(std::function<void()> what);
  /// Calls a function on the calling thread, as if it had been posted and had run, if nothing else that was posted waits or runs.
  /// Returns what it returns, which is whether it has done anything; it must not throw. False: it was not called.
  bool try_here(const std::function<bool()>& what);

private:
  void run();
  std::function<void()> rest_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::vector<std::function<void()>> posted_;
  bool stopping_ = false;
  bool busy_ = false; ///< something runs, here or elsewhere
  std::thread thread_;
};

} // namespace tacit::runtime
