// The engine: executes one rank's tasks in any order that their dependencies allow.
//
// A task is local work, a persistent request, a nonblocking call that is posted anew each time, or polled
// work that is not MPI's (a message through shared memory). Tasks whose predecessors have completed are
// ready; starting them is all that start() does, and completions (MPI_Testsome) make more tasks ready.
// Collectives on one communicator must be called in one order on all ranks, so a task may also wait for
// another one to have been *started*. Every task starts once per run: it terminates if the plan has no cycle.
// Cost of a run: O(tasks + dependencies) plus MPI_Testsome over the active requests.
#pragma once

#include "runtime/run/driver.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::runtime {

using task_id = std::uint32_t;

/// How errors name a task of communication.
struct task_note {
  std::string_view what; ///< "send to", "receive from", "allgather" …; static text
  int peer = -1;
  std::uint64_t bytes = 0;
};
std::string describe(const task_note& note);

/// Begun once per run, then polled until it is complete. Must not block.
class polled_work {
public:
  virtual ~polled_work() = default;
  /// True if it is complete at once.
  virtual bool begin() = 0;
  virtual bool poll() = 0;
};

/// Tasks and the resources they use; filled by a driver, then run by task_run.
class task_list {
public:
  task_list() = default;
  task_list(task_list&&) = default;
  task_list& operator=(task_list&&) = delete;
  ~task_list();

  task_id add_local(std::function<void()> work);
  /// Takes over the request, also if it throws.
  task_id add_persistent(MPI_Request request, task_note note);
  task_id add_posted(std::function<void(MPI_Request*)> post, task_note note);
  task_id add_polled(std::unique_ptr<polled_work> work, task_note note);
  /// `after` starts when `before` has completed.
  void complete_before(task_id before, task_id after) { on_completion_.push_back({before, after}); }
  /// `after` starts when `before` has started.
  void start_before(task_id before, task_id after) { on_start_.push_back({before, after}); }

  /// Memory that lives as long as the list.
  std::byte* allocate(std::uint64_t bytes);
  /// Committed type of these absolute addresses, for use with MPI_BOTTOM and count 1; freed with the list.
  MPI_Datatype absolute_type(const std::vector<graphs::segment>& bytes);
  /// For a run that failed with requests under way, into whose memory MPI may still write: the memory is
  /// never freed.
  void leave_memory_to_mpi();

private:
  friend class task_run;
  struct edge {
    task_id before, after;
  };
  struct task {
    std::function<void()> work;
    std::function<void(MPI_Request*)> post;
    MPI_Request persistent = MPI_REQUEST_NULL;
    task_note note;
    std::unique_ptr<polled_work> polled;
  };
  std::vector<task> tasks_;
  std::vector<edge> on_completion_, on_start_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<MPI_Datatype> types_;
};

class task_run : public execution {
public:
  explicit task_run(task_list tasks);
  ~task_run() override;
  void start() override;
  bool progress() override;
  void finish() override;
  /// True if something completed in the last call of progress.
  bool moved() const { return moved_; }
  /// Calls `visit(peer)` for each message through shared memory that is under way.
  template <typename Visit>
  void each_polled(Visit&& visit) const {
    for (const task_id id : polling_)
      visit(tasks_.tasks_[id].note);
  }

private:
  /// Successors of each task in one array.
  struct successor_rows {
    std::vector<std::uint32_t> first;
    std::vector<task_id> list;
  };
  static successor_rows rows_of(const std::vector<task_list::edge>& edges, std::size_t tasks);
  void release(const successor_rows& rows, task_id before);
  void start_ready();
  void begin(task_id id);
  /// Throws if an MPI call on the active requests failed, naming the one that did.
  void check_completion(int code, int count, const char* call) const;
  void completed(int count);
  void progress_requests();
  void progress_polled();
  void make_room();
  bool done() const { return left_ == 0; }

  task_list tasks_;
  successor_rows on_completion_, on_start_;
  std::vector<std::uint32_t> predecessors_, waiting_;
  std::vector<task_id> ready_;
  std::vector<MPI_Request> active_;  ///< requests under way
  std::vector<task_id> active_task_; ///< and whose they are
  std::vector<int> finished_;        ///< indices that MPI_Testsome returned
  std::vector<MPI_Status> statuses_; ///< and how they ended
  std::vector<task_id> polling_;     ///< polled work under way
  bool moved_ = false;
  std::size_t left_ = 0; ///< tasks of this run that have not completed
};

} // namespace tacit::runtime
