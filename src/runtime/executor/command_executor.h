// Who carries out the commands of this rank: the executor on MPI (executor.h), or nobody, in a dry run (dry_executor.h).
#pragma once

#include "tasks/commands/command.h"
#include "tasks/stream/check.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tacit/tasks/library.hpp>
#include <vector>

namespace tacit::runtime {

/// What a task is to the executor, beside its commands.
struct task_body {
  std::shared_ptr<const tasks::task> what; ///< what it says, which others may say, too: its number is `id`
  tasks::task_id id{};
  detail::command_group group; ///< kernels, host tasks
  void* into = nullptr;        ///< of a fence of a buffer: where its region goes
  bool all_ranks = false;      ///< of an epoch
  std::function<void()> done;  ///< of an epoch, of a fence
  std::function<void(std::exception_ptr)> failed;
};

/// "task 3 'step'"
inline std::string name_of(const task_body& body) {
  return tasks::name_of(body.id, body.what->name);
}

/// All calls may come from any thread; what they say counts in the order in which they are called.
class command_executor {
public:
  command_executor() = default;
  command_executor(const command_executor&) = delete;
  command_executor& operator=(const command_executor&) = delete;
  virtual ~command_executor() = default;

  virtual void add_buffer(tasks::buffer_id number, const detail::buffer_description& what) = 0;
  /// For diagnostics.
  virtual void name_buffer(tasks::buffer_id number, const std::string& name) = 0;
  /// Freed when all before the task has run.
  virtual void drop_buffer(tasks::buffer_id number, tasks::task_id before) = 0;
  virtual void add_collective_group(std::uint32_t number, MPI_Comm communicator) = 0;
  /// A task with the commands that have become known with it, of this and of earlier tasks. They may be kept until deliver().
  /// The list is empty afterwards, and may have memory for the next one.
  virtual void add(std::shared_ptr<task_body> body, std::vector<tasks::command>& commands) = 0;
  /// Lets all run that was added.
  virtual void deliver() = 0;
  /// Blocks while `most` tasks are kept, or other ranks are far behind; not after an error. Who submits must not run ahead
  /// without bound. Other ranks need nothing of what would be submitted next to catch up. Frees bodies, as below.
  virtual void wait_for_room(std::size_t most) = 0;
  /// Frees what is left of tasks that have run. To be called by the thread that submits: memory is freed with the least effort by
  /// the thread that asked for it.
  virtual void free_bodies() = 0;
  /// Tasks that were submitted and are not known to have run: of those since the last horizon it is not looked at.
  virtual std::size_t open_tasks() const = 0;
  /// Blocks until no thread of this process is in MPI, or will be before something new is posted; returns at once after an
  /// error. MPI_Finalize may be called only then (MPI 4.0, 11.2.2), and MPICH 4.0.2 aborts where another thread only tests a
  /// request: it takes and gives back no lock from the begin of MPI_Finalize on, so that one that is held then stays held.
  virtual void wait_until_quiet() = 0;
  /// An error of the program, or of this rank.
  virtual void fail(const std::string& why) = 0;
  /// The error that has ended the run, if there is one.
  virtual std::optional<std::string> failure() const = 0;
};

} // namespace tacit::runtime
