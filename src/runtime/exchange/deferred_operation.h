// A nonblocking operation on a communicator that is still being set up: starting it is local all the same.
// The communicator begins it, in the order of the calls, as soon as it can.
#pragma once

#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/exchange/unlisted.h"

namespace tacit::runtime {

class deferred_operation : public execution {
public:
  deferred_operation(std::shared_ptr<neighbor_communicator> home, std::shared_ptr<cached_plan> plan,
                     std::ptrdiff_t reads, std::ptrdiff_t writes);
  /// Without a plan (unlisted.h). Frees the messages' types.
  deferred_operation(std::shared_ptr<neighbor_communicator> home, std::vector<typed_message> messages);
  ~deferred_operation() override;

  void start() override;
  bool progress() override;
  void finish() override;

  /// Called by the communicator when it is ready.
  void begin();
  /// The execution itself, to be used again; null if there is none.
  cached_plan::execution_at take() { return std::move(inner_); }

private:
  std::shared_ptr<neighbor_communicator> home_;
  std::shared_ptr<cached_plan> plan_;
  std::ptrdiff_t reads_ = 0, writes_ = 0;
  std::vector<typed_message> messages_; ///< if there is no plan
  cached_plan::execution_at inner_;
  std::exception_ptr begin_failure_;
};

} // namespace tacit::runtime
