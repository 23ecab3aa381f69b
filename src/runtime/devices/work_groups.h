// One work group at a time on the calling thread (detail::group_runner).
//
// Items run one after the other on a fiber. One that reaches a barrier keeps its fiber, and the next items run on another one;
// when all have been started, each that comes to a barrier hands over to the next that waits. So the order of items between
// two barriers is that of their numbers, a group without barriers needs one fiber and two switches, and one with b barriers
// switches b + 2 times an item.
#pragma once

#include "vocabulary/base/fibers.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <tacit/tasks/library.hpp>
#include <vector>

namespace tacit::runtime {

class work_groups final : public detail::group_runner {
public:
  work_groups();
  ~work_groups() override;
  void run(std::size_t items, void (*body)(void* context, std::size_t item), void* context) override;
  void barrier() override;

  /// The one of this thread: fibers are kept from group to group.
  static work_groups& of_this_thread();

private:
  struct worker;
  void start_items();
  void resume(worker& who);
  void goes_on(worker& who);
  worker* next_in_turn();
  /// Ends the items that wait, by an exception, so that what they hold is released.
  void abandon();
  void run_items();

  std::size_t items_ = 0, next_ = 0, finished_ = 0;
  void (*body_)(void*, std::size_t) = nullptr;
  void* context_ = nullptr;
  bool abandoned_ = false;
  std::exception_ptr error_;
  worker* running_ = nullptr;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<worker*> idle_, waiting_; ///< those that wait have come to their next barrier
  std::vector<worker*>
      in_turn_;          ///< all that have to go on from one barrier, before any goes on from the next
  std::size_t turn_ = 0; ///< of whom of them
};

} // namespace tacit::runtime
