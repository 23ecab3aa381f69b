// A line on standard error, once a second from the first second on: on a terminal one that is overwritten, elsewhere one after
// the other. A thread of its own, as everybody else may be waiting or busy.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tacit::runtime {

class progress_report {
public:
  /// `say` is called on another thread; where it returns what it did before, nothing is written.
  explicit progress_report(std::function<std::string()> say);
  progress_report(const progress_report&) = delete;
  progress_report& operator=(const progress_report&) = delete;
  /// Removes the line from a terminal.
  ~progress_report();
  /// What the user has set, else whether standard error is a terminal.
  static bool wanted();

private:
  void run();
  void show();

  std::function<std::string()> say_;
  std::string said_;
  bool terminal_, visible_ = false, stopping_ = false;
  std::mutex mutex_;
  std::condition_variable change_;
  std::thread thread_;
};

} // namespace tacit::runtime
