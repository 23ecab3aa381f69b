// Loops: a window that was planned before is not planned again.
//
// Problem: a program of iterations submits the same tasks in every round, and what is planned for a window of them is the same
// but for numbers. Idea: keep, of windows that came twice, what planning found (the state of the buffers and objects that their
// tasks access), what it left there and what it made; where the same tasks find the same state again, hand out the same commands
// with new numbers and leave the same state with new numbers.
//
// Why this is what planning would do. planner::plan() is a function of
//   * the tasks of the window. They are compared as objects: `described` tasks are kept by the planner (planner::description), so that
//     the same object says the same; functors of the user are asked each time, never kept, and so never replayed;
//   * what is known of the buffers that these tasks access (contents): regions, owners, copies and operations of partial values are
//     compared entry by entry, distributions as objects (same split, same list) and by value (same term), as the formulas for all
//     ranks look at both;
//   * numbers, of which planning only asks whether two are equal and which is larger. Producers either are the same as then, or
//     have moved on by as many tasks as the window has, and all that stayed are smaller than all that moved: such a map keeps equality
//     and order, with the numbers of the window's own tasks, which are larger than all others and have moved, too. Commands
//     are compared by local_commands::matches(): what lies before the horizon that stands for it is one and the same number
//     (access_order::stands_for), all others have moved by as many commands;
//   * the front of the command graph, the last horizon, and who touched the window's objects last, compared likewise;
//   * the options, which stay.
// By induction over the steps of plan() each step sees the same under this map, does the same, and leaves the same. Of buffers that
// the window does not access nothing is read; a horizon that shortens what is known of them does so in a replay as well.
// What other tasks have made of the state in between, what changed in a loop by one task or range, or another rank's submissions
// need no case of their own: the tasks or the state then differ, and the window is planned.
//
// All ranks decide for themselves, as a replayed plan is the plan. Numbers, running hashes and the order of exchanges come from the
// stream, not from the record.
//
// Cost: a window is looked up by its first task, its state compared in time linear in the entries, its commands copied. Records
// are made the second time a window comes, then at each power of two, so that programs that never repeat a state pay little.
#pragma once

#include "tasks/commands/local_commands.h"
#include "tasks/commands/window.h"
#include "tasks/layout/contents.h"

#include <memory>
#include <optional>
#include <vector>

namespace tacit::tasks {

/// What planning a window found, made and left.
struct recorded_plan {
  task_id first{};                              ///< number of its first task
  exchange_id first_exchange{};                 ///< of those made for it
  std::vector<region_map<version>> found, left; ///< by buffer of the window
  local_commands::state found_here, left_here;
  std::vector<command> commands;
  std::vector<std::uint32_t> of_task; ///< by command: which task of the window it serves
  std::vector<exchange_edge> edges;   ///< where graphs are kept
  exchange_id next_exchange{};        ///< after it
};

/// A window that came, and plans of it.
struct known_window {
  std::vector<std::shared_ptr<const described>> tasks;
  std::vector<std::uint64_t> steps; ///< by task: its number, counted from that of the first
  bool fresh = false;               ///< it began right after a horizon or an epoch
  std::vector<buffer_id> buffers;   ///< that its tasks access
  std::vector<std::uint64_t> objects;
  std::size_t came = 0;
  bool too_long = false; ///< plans of it would take too much memory
  std::vector<recorded_plan> plans;
  bool ends_in_barrier() const { return tasks.back()->barrier(); }
};

/// Where the numbers of a recorded plan have gone.
struct moved_numbers {
  std::uint64_t tasks = 0;      ///< by how much they have moved
  std::uint64_t stay_below = 0; ///< producers with smaller numbers are the same
  std::uint64_t exchanges = 0;
  renumbering commands;
  task_id task(task_id then) const { return index(then) < stay_below ? then : task_id{index(then) + tasks}; }
  exchange_id exchange(exchange_id then) const { return exchange_id{index(then) + exchanges}; }
};

class known_windows {
public:
  /// A window that began with this task, or null; that behind the one that was asked for last comes first.
  known_window* beginning_with(const std::shared_ptr<const described>& first);
  /// The window, known from now on.
  known_window& of(const std::vector<planned>& window, bool fresh);

private:
  static constexpr std::size_t most = 32;
  std::vector<std::unique_ptr<known_window>> known_;
  std::size_t used_ = 0, oldest_ = 0;
};

/// Commands of a plan that is kept: with the windows and plans that are, some MB at most.
inline constexpr std::size_t most_commands = 1024;
/// Whether a plan that is not known should be recorded, as the window comes again.
bool worth_recording(const known_window& w);
/// Its place in the window's plans; the oldest makes room.
recorded_plan& room_for_plan(known_window& w);

/// What the planner knows, as far as a window is concerned.
std::vector<region_map<version>> contents_of(const contents& all, const std::vector<buffer_id>& buffers);
/// How numbers have moved since a plan was recorded, or nothing if its window finds something else now.
std::optional<moved_numbers> matches(const known_window& w, const recorded_plan& plan, task_id first,
                                     exchange_id next_exchange, const contents& now,
                                     const local_commands& here);

} // namespace tacit::tasks
