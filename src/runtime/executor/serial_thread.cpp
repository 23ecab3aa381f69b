#include "runtime/executor/serial_thread.h"

#include <utility>

namespace tacit::runtime {

serial_thread::serial_thread() : thread_([this] { run(); }) {}

serial_thread::~serial_thread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  change_.notify_one();
  thread_.join();
}

void serial_thread::post(task_function what) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(what));
  }
  change_.notify_one();
}

void serial_thread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    change_.wait(lock, [&] { return stopping_ || !posted_.empty(); });
    if (posted_.empty())
      return;
    const task_function next = std::move(posted_.front());
    posted_.pop_front();
    lock.unlock();
    next();
    lock.lock();
  }
}

} // namespace tacit::runtime
