#include "runtime/devices/serial_thread.h"

#include <utility>

namespace tacit::runtime {

serial_thread::serial_thread(std::function<void()> rest)
    : rest_(std::move(rest)), thread_([this] { run(); }) {}

serial_thread::~serial_thread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  change_.notify_one();
  thread_.join();
}

void serial_thread::post(std::function<void()> what) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(what));
  }
  change_.notify_one();
}

bool serial_thread::try_here(const std::function<bool()>& what) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_ || stopping_ || !posted_.empty())
      return false;
    busy_ = true;
  }
  const bool done = what();
  const std::lock_guard lock(mutex_);
  busy_ = false;
  if (stopping_ || !posted_.empty())
    change_.notify_one();
  return done;
}

void serial_thread::run() {
  std::vector<std::function<void()>> now;
  std::unique_lock lock(mutex_);
  for (;;) {
    change_.wait(lock, [&] { return !busy_ && (stopping_ || !posted_.empty()); });
    if (posted_.empty())
      return;
    busy_ = true;
    do {
      now.swap(posted_);
      lock.unlock();
      for (const std::function<void()>& next : now)
        next();
      now.clear(); // without the lock: what it frees may post
      lock.lock();
    } while (!posted_.empty());
    lock.unlock();
    if (rest_)
      rest_();
    lock.lock();
    busy_ = false;
  }
}

} // namespace tacit::runtime
