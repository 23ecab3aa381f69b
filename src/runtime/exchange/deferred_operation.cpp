#include "runtime/exchange/deferred_operation.h"

#include "runtime/mpi/await.h"

#include <utility>

namespace tacit::runtime {

deferred_operation::deferred_operation(std::shared_ptr<opening> line, std::shared_ptr<cached_plan> plan,
                                       const call_buffers& buffers)
    : line_(std::move(line)), plan_(std::move(plan)), buffers_(buffers) {}

deferred_operation::deferred_operation(std::shared_ptr<opening> line, std::vector<typed_message> messages,
                                       const call_buffers& buffers)
    : line_(std::move(line)), buffers_(buffers), messages_(std::move(messages)) {}

deferred_operation::~deferred_operation() {
  line_->leave(*this);
  for (typed_message& m : messages_)
    MPI_Type_free(&m.type);
  if (plan_ && inner_.run && !failure)
    plan_->take_back(std::move(inner_));
}

void deferred_operation::start() {
  line_->begin();
  line_->join(*this);
}

void deferred_operation::begin() {
  try {
    if (plan_)
      inner_ = plan_->lend(buffers_, line_->comm());
    else
      inner_.run = std::make_unique<flat_run>(std::exchange(messages_, {}), line_->comm());
    inner_.run->start();
  } catch (...) { // belongs to this operation, not to the one whose progress got here
    begin_failure_ = std::current_exception();
  }
}

bool deferred_operation::progress() {
  if (!inner_.run && !begin_failure_ && !line_->advance())
    return false;
  if (begin_failure_)
    std::rethrow_exception(begin_failure_);
  return inner_.run->progress();
}

/// The setup is under way beside this operation, so nobody waits for it alone before that is done.
void deferred_operation::finish() {
  while (!progress())
    offer_core();
}

} // namespace tacit::runtime
