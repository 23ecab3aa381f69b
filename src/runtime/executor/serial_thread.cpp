#include "runtime/executor/serial_thread.h"

#include <utility>

namespace tacit::runtime {

serial_thread::serial_thread(task_function rest) : rest_(std::move(rest)), thread_([this] { run(); }) {}

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
  std::vector<task_function> now;
  std::unique_lock lock(mutex_);
  for (;;) {
    change_.wait(lock, [&] { return stopping_ || !posted_.empty(); });
    if (posted_.empty())
      return;
    do {
      now.swap(posted_);
      lock.unlock();
      for (const task_function& next : now)
        next();
      now.clear(); // without the lock: what it frees may post
      lock.lock();
    } while (!posted_.empty());
    lock.unlock();
    if (rest_)
      rest_();
    lock.lock();
  }
}

} // namespace tacit::runtime
