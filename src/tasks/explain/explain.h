// Task graph and command graph in words and pictures: what each task needs of others, by which collective it comes, or why by
// messages.
//
// Reads what a planner has kept (planner_options::keep_graphs) and the commands that it made; changes nothing.
#pragma once

#include "tasks/commands/planner.h"
#include "vocabulary/base/function_ref.h"

#include <map>
#include <span>

namespace tacit::tasks {

/// "execute", "await_push".
const char* name_of(command_kind kind);
/// A line for each exchange: consumer, buffer, region, producer, and the collective or the reason code of messages.
std::string explain_text(const planner& plan);
/// The same, with all tasks and what they come after, and the commands of this rank, for machines.
std::string explain_json(const planner& plan, std::span<const command> commands = {});
/// One line: "12: push [0,4) of buffer 0 'P' to rank 1, for task 3, after 9".
std::string text_of(const command& c, const std::vector<buffer>& buffers);
/// The task graph; exchanges are edges that name the collective, or the reason code.
std::string dot_of_tasks(const planner& plan);
/// Commands of a rank with what they come after; those that talk to other ranks are colored as in the task graph.
std::string dot_of_commands(std::span<const command> commands, const std::vector<buffer>& buffers);

/// What one rank does, in numbers.
struct plan_summary {
  using element_size = vocabulary::function_ref<std::size_t(buffer_id)>; ///< bytes
  std::map<std::string, std::uint64_t> commands;                         ///< by kind; collectives by theirs
  /// By messages; received also by collectives, in which who sends what to whom is MPI's affair.
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  void add(const command& c, rank_id me, element_size size_of);
  std::uint64_t all() const;
};
/// How many messages of this rank, sent and received, a collective stands for; 0 for reductions, which are no messages of what is in a buffer.
std::size_t messages_replaced(const collective& c, rank_id me);
/// "40 commands (2 allgather, 38 execute), sends 1.2 KiB in messages, receives 4 MiB".
std::string text_of(const plan_summary& sum);

} // namespace tacit::tasks
