// What this rank has planned, kept to be explained: the planner keeps the task graph, this the commands.
//
// Of long programs the first are kept, so that explaining needs no more memory than a fixed amount.
#pragma once

#include "tasks/explain/explain.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tacit::runtime {

class plan_log {
public:
  /// Keeps the first `most` commands.
  explicit plan_log(std::size_t most) : most_(most) {}

  void keep(const std::vector<tasks::command>& commands);
  const std::vector<tasks::command>& commands() const { return commands_; }

  /// tasks.txt, tasks.json and tasks.dot (where this is the first rank, or the only one that runs) and commands-RANK.txt and .dot.
  /// Returns what could not be written, and why; empty if all is there.
  std::string write_all(const std::string& folder, const tasks::planner& plan, bool task_graph,
                        const std::string& summary) const;
  /// tasks.json alone, beside a recording; nothing if it would be longer than `limit` bytes, and then that is said.
  std::string write_json(const std::string& folder, const tasks::planner& plan,
                         std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) const;
  /// A line for each command, in the order in which they were made.
  std::string command_text(const tasks::planner& plan) const;

private:
  std::size_t most_;
  std::vector<tasks::command> commands_;
  std::size_t left_out_ = 0;
};

} // namespace tacit::runtime
