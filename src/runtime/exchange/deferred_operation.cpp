#include "runtime/exchange/deferred_operation.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace tacit::runtime {

deferred_operation::deferred_operation(std::shared_ptr<neighbor_communicator> home,
                                       std::shared_ptr<cached_plan> plan, std::ptrdiff_t reads,
                                       std::ptrdiff_t writes)
    : home_(std::move(home)), plan_(std::move(plan)), reads_(reads), writes_(writes) {}

deferred_operation::deferred_operation(std::shared_ptr<neighbor_communicator> home,
                                       std::vector<typed_message> messages)
    : home_(std::move(home)), messages_(std::move(messages)) {}

deferred_operation::~deferred_operation() {
  std::erase(home_->waiting_, this);
  for (typed_message& m : messages_)
    MPI_Type_free(&m.type);
}

void deferred_operation::start() {
  home_->begin_setup();
  home_->waiting_.push_back(this);
}

void deferred_operation::begin() {
  try {
    if (plan_)
      inner_ = home_->execution_for(*plan_, reads_, writes_);
    else
      inner_.run = std::make_unique<flat_run>(std::exchange(messages_, {}), home_->comm());
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

} // namespace tacit::runtime
