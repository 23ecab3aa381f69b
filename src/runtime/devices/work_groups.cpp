#include "runtime/devices/work_groups.h"

#include <utility>

namespace tacit::detail {
group_runner::~group_runner() = default;
} // namespace tacit::detail

namespace tacit::runtime {

namespace {
/// Unwinds an item whose group has failed.
struct group_abandoned {};
} // namespace

struct work_groups::worker {
  explicit worker(work_groups& of) : context([&of] { of.run_items(); }) {}
  fiber context;
  bool waits = false;
};

work_groups::work_groups() = default;
work_groups::~work_groups() = default;

work_groups& work_groups::of_this_thread() {
  static thread_local work_groups mine;
  return mine;
}

void work_groups::run(std::size_t items, void (*body)(void*, std::size_t), void* context) {
  items_ = items, next_ = finished_ = 0;
  body_ = body, context_ = context;
  abandoned_ = false;
  error_ = nullptr;
  start_items();
  while (!waiting_.empty() && !error_ && finished_ == 0) {
    resumed_.clear();
    std::swap(resumed_, waiting_);
    for (worker* who : resumed_)
      resume(*who);
  }
  if (!waiting_.empty()) {
    if (!error_)
      error_ = std::make_exception_ptr(
          task_error("group_barrier: some items of a work group wait at it, others have ended"));
    abandon();
  }
  if (error_)
    std::rethrow_exception(std::exchange(error_, nullptr));
}

void work_groups::start_items() {
  while (next_ < items_) {
    if (idle_.empty()) {
      workers_.push_back(std::make_unique<worker>(*this));
      idle_.push_back(workers_.back().get());
    }
    worker* who = idle_.back();
    idle_.pop_back();
    resume(*who);
  }
}

void work_groups::resume(worker& who) {
  running_ = &who;
  who.waits = false;
  who.context.resume();
  running_ = nullptr;
  (who.waits ? waiting_ : idle_).push_back(&who);
}

void work_groups::run_items() {
  while (next_ < items_) {
    try {
      body_(context_, next_++);
      ++finished_;
    } catch (const group_abandoned&) {
    } catch (...) {
      next_ = items_; // no further items
      if (!error_)
        error_ = std::current_exception();
    }
  }
}

void work_groups::barrier() {
  if (items_ <= 1)
    return;
  worker* me = running_;
  me->waits = true;
  me->context.suspend();
  if (abandoned_)
    throw group_abandoned();
}

void work_groups::abandon() {
  abandoned_ = true;
  while (!waiting_.empty()) {
    worker* who = waiting_.back();
    waiting_.pop_back();
    resume(*who);
  }
}

} // namespace tacit::runtime
