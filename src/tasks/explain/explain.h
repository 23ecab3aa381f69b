// Task graph and command graph in words and pictures: what each task needs of others, by which collective it comes, or why by
// messages.
//
// Reads what a planner has kept (planner_options::keep_graphs) and the commands that it made; changes nothing.
#pragma once

#include "tasks/commands/planner.h"

#include <map>
#include <span>

namespace tacit::tasks {

/// A line for each exchange: consumer, buffer, region, producer, and the collective or the reason code of messages.
std::string explain_text(const planner& plan);
/// The same, with all tasks and what they come after, for machines.
std::string explain_json(const planner& plan);
/// One line: "12: push [0,4) of buffer 0 'P' to rank 1, for task 3, after 9".
std::string text_of(const command& c, const std::vector<buffer>& buffers);
/// The task graph; exchanges are edges that name the collective, or the reason code.
std::string dot_of_tasks(const planner& plan);
/// Commands of a rank with what they come after.
std::string dot_of_commands(std::span<const command> commands, const std::vector<buffer>& buffers);

/// What one rank does, in numbers: for dry runs of ranks that do not exist.
struct plan_summary {
  std::map<std::string, std::uint64_t> commands;          ///< by kind; collectives by theirs
  std::uint64_t elements_sent = 0, elements_received = 0; ///< by messages, and received by collectives
  void add(const command& c, rank_id me);
};

} // namespace tacit::tasks
