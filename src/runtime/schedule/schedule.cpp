#include "runtime/schedule/schedule.h"

#include "runtime/run/progress.h"

#include <fmt/format.h>

namespace tacit::runtime {

std::string bound_plan::explain_failure(const call_error& e, const std::exception_ptr&) const {
  return e.what();
}

schedule::~schedule() {
  if (run_)
    end_progress(*run_);
}

/// Runs `body` on the execution; what it throws ends the schedule.
template <typename Body>
void schedule::advance(Body&& body) {
  if (!failure_) {
    try {
      body();
      return;
    } catch (...) {
      keep_failure();
    }
  }
  throw call_error(*failure_);
}

/// Called while the exception is handled.
void schedule::keep_failure() {
  run_->failure = std::current_exception();
  active_ = false;
  end_progress(*run_);
  const call_error e = current_error();
  failure_ = std::make_unique<const call_error>(
      e.why,
      fmt::format(
          "rank {}: the schedule failed: {}. Its buffers are undefined, and other ranks may wait for this "
          "one; free the schedule and compile again, or abort",
          rank(), plan_->explain_failure(e, run_->failure)),
      true);
}

void schedule::start() {
  if (active_)
    throw call_error(
        call_error::kind::state,
        "the schedule is active; complete it with tacit_wait or tacit_test before starting it again");
  if (started_ && how_many_ == runs::one)
    throw call_error(call_error::kind::state,
                     fmt::format("the schedule of {} cannot be started again; make one with the _init form",
                                 plan_->made_by()));
  advance([&] {
    run_->start();
    begin_progress(*run_);
    active_ = started_ = true;
  });
}

bool schedule::test() {
  advance([&] {
    if (active_ && progress_all(*run_))
      active_ = false;
  });
  return !active_;
}

void schedule::wait() {
  advance([&] {
    if (active_)
      wait_for(*run_);
    active_ = false;
  });
}

void schedule::end() noexcept {
  end_progress(*run_);
  run_ = nullptr;
  plan_->end();
}

} // namespace tacit::runtime
