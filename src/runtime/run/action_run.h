// The engine: executes one rank's actions in any order that their dependencies allow.
//
// An action is local work, a nonblocking call that is posted anew each time, or polled
// work that is not MPI's (a message through shared memory). Actions whose predecessors have completed are
// ready; starting them is all that start() does, and completions (MPI_Testsome) make more actions ready.
// Collectives on one communicator must be called in one order on all ranks, so an action may also wait for
// another one to have been *started*. Every action starts once per run: it terminates if the plan has no
// cycle. Cost of a run: O(actions + dependencies) plus MPI_Testsome over the active requests.
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

using action_id = std::uint32_t;

/// How errors name an action of communication.
struct action_note {
  std::string_view what; ///< "send to", "receive from", "allgather" …; static text
  int peer = -1;
  std::uint64_t bytes = 0;
};
std::string describe(const action_note& note);

/// Begun once per run, then polled until it is complete. Must not block.
class polled_work {
public:
  virtual ~polled_work() = default;
  /// True if it is complete at once.
  virtual bool begin() = 0;
  virtual bool poll() = 0;
};

/// Actions and the resources they use; filled by a driver, then run by action_run.
class action_list {
public:
  action_list() = default;
  action_list(action_list&&) = default;
  action_list& operator=(action_list&&) = delete;
  ~action_list();

  action_id add_local(std::function<void()> work);
  action_id add_posted(std::function<void(MPI_Request*)> post, action_note note);
  action_id add_polled(std::unique_ptr<polled_work> work, action_note note);
  /// `after` starts when `before` has completed.
  void complete_before(action_id before, action_id after) { on_completion_.push_back({before, after}); }
  /// `after` starts when `before` has started.
  void start_before(action_id before, action_id after) { on_start_.push_back({before, after}); }

  /// Memory that lives as long as the list.
  std::byte* allocate(std::uint64_t bytes);
  /// Committed type of these absolute addresses, for use with MPI_BOTTOM and count 1; freed with the list.
  MPI_Datatype absolute_type(const std::vector<graphs::segment>& bytes);
  /// For a run that failed with requests under way, into whose memory MPI may still write: the memory is
  /// never freed.
  void leave_memory_to_mpi();

private:
  friend class action_run;
  struct edge {
    action_id before, after;
  };
  struct action {
    std::function<void()> work;
    std::function<void(MPI_Request*)> post;
    action_note note;
    std::unique_ptr<polled_work> polled;
  };
  std::vector<action> actions_;
  std::vector<edge> on_completion_, on_start_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<MPI_Datatype> types_;
};

class action_run : public execution {
public:
  explicit action_run(action_list actions);
  ~action_run() override;
  void start() override;
  bool progress() override;
  void finish() override;
  /// True if something completed in the last call of progress.
  bool moved() const { return moved_; }
  /// Calls `visit(peer)` for each message through shared memory that is under way.
  template <typename Visit>
  void each_polled(Visit&& visit) const {
    for (const action_id id : polling_)
      visit(actions_.actions_[id].note);
  }

private:
  /// Successors of each action in one array.
  struct successor_rows {
    std::vector<std::uint32_t> first;
    std::vector<action_id> list;
  };
  static successor_rows rows_of(const std::vector<action_list::edge>& edges, std::size_t actions);
  void release(const successor_rows& rows, action_id before);
  void start_ready();
  void begin(action_id id);
  /// Throws if an MPI call on the active requests failed, naming the one that did.
  void check_completion(int code, int count, const char* call) const;
  void completed(int count);
  void progress_requests();
  void progress_polled();
  void wait_for_requests();
  void wait_for_some();
  void make_room();
  void withdraw_receives();
  bool is_receive(action_id id) const;
  bool done() const { return left_ == 0; }

  action_list actions_;
  successor_rows on_completion_, on_start_;
  std::vector<std::uint32_t> predecessors_, waiting_;
  /// Those that wait for none: receives, so that MPI finds them posted, then other messages, then local work.
  std::vector<action_id> first_;
  std::vector<action_id> ready_;
  std::vector<MPI_Request> active_;       ///< requests under way
  std::vector<action_id> active_actions_; ///< and whose they are
  std::vector<int> finished_;             ///< indices that MPI_Testsome returned
  std::vector<MPI_Status> statuses_;      ///< and how they ended
  std::vector<action_id> polling_;        ///< polled work under way
  bool moved_ = false;
  std::size_t left_ = 0; ///< actions of this run that have not completed
};

} // namespace tacit::runtime
