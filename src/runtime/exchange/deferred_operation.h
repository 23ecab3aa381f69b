// A nonblocking operation on a communicator that is still being set up: starting it is local all the same. It
// waits in line, and begins, in the order of the calls, as soon as the communicator is ready.
#pragma once

#include "runtime/exchange/opening.h"
#include "runtime/exchange/plan_cache.h"
#include "runtime/run/flat_run.h"

#include <memory>
#include <vector>

namespace tacit::runtime {

class deferred_operation : public execution, private opening::waiter {
public:
  /// By a plan of the cache, which gets the execution afterwards.
  deferred_operation(std::shared_ptr<opening> line, std::shared_ptr<cached_plan> plan,
                     const call_buffers& buffers);
  /// Without a plan (unlisted.h). Frees the messages' types.
  deferred_operation(std::shared_ptr<opening> line, std::vector<typed_message> messages,
                     const call_buffers& buffers);
  ~deferred_operation() override;

  void start() override;
  bool progress() override;
  void finish() override;

private:
  void begin() override;

  std::shared_ptr<opening> line_;
  std::shared_ptr<cached_plan> plan_;
  call_buffers buffers_;
  std::vector<typed_message> messages_; ///< if there is no plan
  bound_run inner_;
  std::exception_ptr begin_failure_;
};

} // namespace tacit::runtime
