#include "exchange/deferred_operation.h"

#include <algorithm>
#include <thread>

namespace tacit {

deferred_operation::deferred_operation(std::shared_ptr<neighbor_communicator> home,
                                       std::shared_ptr<cached_plan> plan, std::ptrdiff_t reads,
                                       std::ptrdiff_t writes)
    : home_(std::move(home)), plan_(std::move(plan)), reads_(reads), writes_(writes) {}

deferred_operation::~deferred_operation() {
  std::erase(home_->waiting_, this);
}

void deferred_operation::start() {
  home_->begin_setup();
  home_->waiting_.push_back(this);
}

void deferred_operation::begin() {
  try {
    inner_ = home_->execution_for(*plan_, reads_, writes_);
    inner_.run->start();
  } catch (...) { // belongs to this operation, not to the one whose progress got here
    begin_failure_ = std::current_exception();
  }
}

bool deferred_operation::progress() {
  if (!inner_.run && !begin_failure_ && !home_->advance_setup())
    return false;
  if (begin_failure_)
    std::rethrow_exception(begin_failure_);
  return inner_.run->progress();
}

/// The setup is under way beside this operation, so nobody waits for it alone before that is done.
void deferred_operation::finish() {
  while (!progress())
    std::this_thread::yield();
}

} // namespace tacit
