// What command groups say to the planner, kept: loops submit groups that say the same, and a task is long to write down.
//
// Groups are compared by all that a task is made of; functors of the user cannot be compared, and theirs are not kept. What a group
// does (its kernel) is not part of it.
#pragma once

#include "tasks/stream/stream.h"

#include <memory>
#include <tacit/tasks/library.hpp>
#include <vector>

namespace tacit::runtime {

class known_tasks {
public:
  /// What a group that says the same was made into, or null.
  std::shared_ptr<const tasks::task> find(const detail::command_group& group);
  void add(const detail::command_group& group, std::shared_ptr<const tasks::task> made);

private:
  static constexpr std::size_t most = 64;
  struct known {
    detail::command_group says; ///< without functions
    std::shared_ptr<const tasks::task> made;
  };
  std::vector<known> known_; ///< the oldest makes room
  std::size_t used_ = 0, oldest_ = 0;
};

} // namespace tacit::runtime
