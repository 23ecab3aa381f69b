// The runtime of a process: what the public headers call (tacit::detail) ends here.
//
// Three threads: the program's, which describes tasks and goes on; the scheduler's, which plans what this rank has to do for them;
// the executor's. The first exists in the program, the others from the first buffer, queue or host object to the end of MPI.
// Loops whose rounds are replayed (tasks/commands/replay.h) are planned by the program's thread itself, if the scheduler's is idle:
// that costs less than to hand a task over.
//
// A dry run has no executor: this rank is one of as many as one likes, and its commands are counted (TACIT_DRY_RUN_RANKS, for a
// whole program, or simulate(), for a part of one that a thread runs).
#pragma once

#include "runtime/executor/dry_executor.h"
#include "runtime/executor/executor.h"
#include "runtime/executor/known_tasks.h"
#include "runtime/executor/plan_log.h"
#include "runtime/executor/progress_report.h"
#include "tasks/commands/planner.h"

#include <memory>
#include <mpi.h>
#include <mutex>
#include <tacit/tasks/simulation.hpp>

namespace tacit::runtime {

/// As which rank of how many a dry run plans.
struct dry_run {
  std::uint32_t ranks = 1, rank = 0;
};

class task_runtime {
public:
  /// That of the simulation on this thread, else the process's, made by the first call. Throws task_error where MPI is not fit for it.
  static task_runtime& get();
  /// Null before the first call of get() and after the end.
  static task_runtime* running();
  /// What simulate() of the public headers does.
  static simulation simulate(dry_run as, const std::function<void()>& program);
  /// Collective: waits for all tasks of all ranks. Called before our own MPI_Finalize, and by that of others.
  /// False after an error: others may never come to MPI_Finalize.
  static bool end();

  task_runtime(const task_runtime&) = delete;
  task_runtime& operator=(const task_runtime&) = delete;
  ~task_runtime();

  std::size_t create_buffer(const detail::buffer_description& what);
  void name_buffer(std::size_t number, const std::string& name);
  void destroy_buffer(std::size_t number);
  std::size_t create_host_object() { return next_object_++; }
  std::size_t create_collective_group();

  /// This, fence() and create_buffer() may be called by several threads: what one of them calls counts as a whole before or after
  /// what another one calls.
  void submit(detail::command_group&& group);
  void fence(std::shared_ptr<task_body> body, tasks::task what);
  enum class until : std::uint8_t { here, all_ranks, end };
  /// But for `here` collective; then nothing of this process is in MPI when it returns. The `end` of the program is none that another
  /// rank only waits at.
  void wait(until when);
  bool failed() const;
  /// The program has been told of the failure, if there is one: it need not be said again at the end.
  void has_heard() { heard_ = true; }
  bool dry() const { return dry_ != nullptr; }
  /// At the end, or after an error: what was asked for to be written, and the line of a dry run. Nothing can be submitted afterwards.
  void tell();
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

private:
  task_runtime();
  task_runtime(dry_run as, bool keep_graphs);
  static std::unique_ptr<task_runtime> made();
  void begin(bool keep_graphs);
  std::string summary() const;
  simulation told() const;
  std::string progress() const;
  tasks::task describe(const detail::command_group& group) const;
  std::shared_ptr<const tasks::task> said_by(const detail::command_group& group);
  void schedule(std::shared_ptr<task_body> body);
  bool plan_or_fail(const std::shared_ptr<task_body>& body);
  bool plan(const std::shared_ptr<task_body>& body);
  void throw_failure() const;
  void say_unheard_failure() const;
  bool unheard() const { return !heard_ && executor_->failure().has_value(); }

  private_communicator world_, for_groups_; ///< not in a dry run
  int rank_ = 0, ranks_ = 1;
  std::mutex submitting_;                         ///< numbers go up in the order of what is posted
  std::size_t next_buffer_ = 0, next_object_ = 0; ///< of the program's threads
  std::uint32_t next_group_ = 0;
  known_tasks known_; ///< with the lock
  std::vector<private_communicator> groups_;
  std::unique_ptr<command_executor> executor_;
  dry_executor* dry_ = nullptr;             ///< the executor of a dry run
  std::unique_ptr<tasks::planner> planner_; ///< the scheduler's thread
  std::vector<tasks::command> commands_;    ///< the same
  tasks::task_id last_submitted_{};
  std::size_t problems_told_ = 0;
  double planning_ = 0; ///< seconds
  std::unique_ptr<plan_log> log_;
  std::string explain_into_, record_into_; ///< folders; empty: not asked for
  std::atomic<std::size_t> submitted_{0};
  std::atomic<bool> heard_{false};
  std::unique_ptr<serial_thread> scheduler_;
  std::unique_ptr<progress_report> progress_;
};

} // namespace tacit::runtime
