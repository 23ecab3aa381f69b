// The runtime of a process: what the public headers call (tacit::detail) ends here.
//
// Three threads: the program's, which describes tasks and goes on; the scheduler's, which plans what this rank has to do for them;
// the executor's. The first exists in the program, the others from the first buffer, queue or host object to the end of MPI.
#pragma once

#include "runtime/executor/executor.h"
#include "tasks/commands/planner.h"

#include <memory>
#include <mpi.h>

namespace tacit::runtime {

class task_runtime {
public:
  /// Made by the first call. Throws task_error where MPI is not fit for it.
  static task_runtime& get();
  /// Null before the first call of get() and after the end.
  static task_runtime* running();
  /// Collective: waits for all tasks of all ranks. Called before our own MPI_Finalize, and by that of others.
  static void end();

  task_runtime(const task_runtime&) = delete;
  task_runtime& operator=(const task_runtime&) = delete;
  ~task_runtime();

  std::size_t create_buffer(const detail::buffer_description& what);
  void name_buffer(std::size_t number, const std::string& name);
  void destroy_buffer(std::size_t number);
  std::size_t create_host_object() { return next_object_++; }
  std::size_t create_collective_group();

  void submit(detail::command_group&& group);
  void fence(std::shared_ptr<task_body> body);
  /// With `all_ranks` collective; then nothing of this process is in MPI when it returns.
  void wait(bool all_ranks);
  bool failed() const;
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

private:
  task_runtime();
  tasks::task describe(const detail::command_group& group) const;
  void schedule(std::shared_ptr<task_body> body);
  void plan(const std::shared_ptr<task_body>& body);
  void throw_failure() const;

  struct known_buffer {
    std::string name;
    int dims = 1;
    detail::extents range{1, 1, 1};
  };

  private_communicator world_, for_groups_;
  int rank_, ranks_;
  std::vector<known_buffer> buffers_; ///< the program's thread
  std::size_t next_object_ = 0;
  std::uint32_t next_group_ = 0, next_operation_ = 0;
  std::vector<private_communicator> groups_;
  std::unique_ptr<executor> executor_;
  std::unique_ptr<tasks::planner> planner_; ///< the scheduler's thread
  tasks::task_id last_submitted_{};
  std::size_t problems_told_ = 0;
  std::unique_ptr<serial_thread> scheduler_;
};

} // namespace tacit::runtime
