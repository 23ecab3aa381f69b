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
  in_turn_.clear();
  turn_ = 0;
  start_items();
  while (worker* next = next_in_turn())
    resume(*next);
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

void work_groups::goes_on(worker& who) {
  running_ = &who;
  who.waits = false;
}

/// Returns when a fiber waits that nobody is to follow, or has ended: this one, or one that it has handed over to.
void work_groups::resume(worker& who) {
  goes_on(who);
  who.context.resume();
  worker* last = std::exchange(running_, nullptr);
  if (!last->waits)
    idle_.push_back(last);
}

/// When all have gone on from a barrier, those that wait at the next. Null: nobody waits, or in vain.
work_groups::worker* work_groups::next_in_turn() {
  if (turn_ == in_turn_.size()) {
    in_turn_.clear();
    turn_ = 0;
    if (error_ || finished_ > 0)
      return nullptr;
    std::swap(in_turn_, waiting_);
  }
  return turn_ < in_turn_.size() ? in_turn_[turn_++] : nullptr;
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
  waiting_.push_back(me);
  worker* next = next_ < items_ ? nullptr : next_in_turn();
  if (!next) {
    me->context.suspend();
  } else {
    goes_on(*next);
    if (next != me)
      me->context.hand_over(next->context);
  }
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
