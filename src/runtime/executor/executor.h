// Carries out the commands of one rank (src/tasks/commands/command.h says what it has to keep).
//
// One thread leads: it starts what is ready, progresses messages, and finishes what has ended, all of which is quick. Kernels,
// copies and host tasks run on threads of the backend; collective host tasks, which may block in MPI, on a thread for each of
// their groups. So a kernel overlaps with all communication that its command does not come after.
//
// There are two threads that may lead (the leader/followers pattern; Schmidt and others, 2000). Where no message is under way and
// nothing else is to be done, the leader runs a kernel itself and leaves the lead to whom something happens first: the other
// one, woken by new commands, or itself, when the kernel has ended. So a program whose kernels and messages take turns needs no
// other thread to wake up, which takes 5 us on an idle machine and a time slice on a busy one.
//
//   execute      parts for the devices; copies into their memories; kernels; results of reductions kept for their collective
//   push         copy to the host's memory; a message, packed unless the region lies in one piece
//   await_push   the message; from then on the host's memory has the values
//   collective   exchanges.h
//   fence        copy to the host's memory, from there into the program's
//   epoch        the program may go on; what lies before a horizon or an epoch is freed
//
// What fails, here or elsewhere, ends the run: nothing is started any more, and everybody who waits gets the error, which is the
// same on all ranks (watch.h).
#pragma once

#include "runtime/devices/backend.h"
#include "runtime/devices/serial_thread.h"
#include "runtime/executor/command_executor.h"
#include "runtime/executor/exchanges.h"
#include "runtime/executor/local_buffer.h"
#include "runtime/executor/pending_requests.h"
#include "runtime/executor/submitting_thread.h"
#include "runtime/executor/watch.h"
#include "tasks/commands/command.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tacit::runtime {

class executor : public command_executor {
public:
  /// Collective.
  executor(MPI_Comm world, std::unique_ptr<backend> on);
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  /// After an epoch of all ranks, or after an error.
  ~executor() override;

  void add_buffer(tasks::buffer_id number, const detail::buffer_description& what) override;
  void name_buffer(tasks::buffer_id number, const std::string& name) override;
  void drop_buffer(tasks::buffer_id number, tasks::task_id before) override;
  void add_collective_group(std::uint32_t number, MPI_Comm communicator) override;
  void add(std::shared_ptr<task_body> body, std::vector<tasks::command>& commands) override;
  void deliver() override;
  void wait_for_room(std::size_t most) override;
  void free_bodies() override;
  std::size_t open_tasks() const override;
  void wait_until_quiet() override;
  void fail(const std::string& why) override;
  std::optional<std::string> failure() const override;

private:
  /// A kernel or host task on its way through copies, launches and results.
  struct execution;
  struct execution_part;
  struct running {
    tasks::command command;
    std::shared_ptr<task_body> body;
    std::size_t waits = 0; ///< for commands
    int tag = 0;           ///< of messages
    std::vector<tasks::command_id> next;
    std::shared_ptr<execution> work; ///< kept for its memory
  };
  /// A task that reduces into a buffer, and what its chunk here has contributed.
  struct reduction_so_far {
    std::shared_ptr<task_body> body;
    std::optional<partial_result> mine;
  };
  struct delivery {
    std::shared_ptr<task_body> body;
    std::vector<tasks::command> commands;
  };
  /// Of one direction between this rank and another one.
  struct messages_so_far {
    std::uint64_t count = 0, last = 0;
  };

  // The threads.
  struct ready_kernel {
    int device;
    kernel_launch what;
    when_done done;
  };
  /// A part of a kernel that the leader has run at once.
  struct ended_part {
    tasks::command_id command;
    std::exception_ptr error;
  };
  void serve();
  void take_the_lead(std::unique_lock<std::mutex>& lock);
  std::optional<ready_kernel> lead();
  std::optional<ready_kernel> next_kernel();
  void run_here(std::unique_lock<std::mutex>& lock, ready_kernel&& kernel);
  void post(task_function what);
  bool something_posted() const { return !posted_.empty() || !delivered_.empty(); }
  void wake();
  bool run_posted();
  void forget_taken();
  bool nothing_to_do() const;
  bool more_ranks_than_cores() const;
  bool poll_on(double now);
  void offer_core_to_submitter();
  void look_around(double now);
  void note_comparisons();
  void end(const std::string& why, bool tell_others);

  // Commands.
  void receive(delivery&& d);
  void receive(tasks::command&& c);
  void start(running& r);
  running* find(tasks::command_id id);
  std::shared_ptr<task_body> body_of(tasks::task_id task) const;
  std::unique_ptr<running> fresh();
  void complete(tasks::command_id id);
  void find_parts(running& r) const;
  std::string written_twice(const running& r) const;
  std::string name_of_buffer(tasks::buffer_id number) const;
  std::string what_failed(const task_body& body, const std::exception_ptr& error) const;
  void execute(running& r);
  void launch(tasks::command_id id);
  void start_kernel(const running& r, execution_part& p, std::vector<detail::allocation> memory);
  void start_on_host(const running& r, const execution_part& p, std::vector<detail::allocation> memory);
  when_done when_part_ended(tasks::command_id id);
  void part_ended(tasks::command_id id, const std::exception_ptr& error);
  void finish(running& r);
  void push(running& r);
  void await_push(running& r);
  void fence(running& r);
  void epoch(running& r);
  static void finish_waiting(task_body& body);
  void forget_before(tasks::task_id task);

  local_buffer& buffer(tasks::buffer_id number) const { return *buffers_[index(number)]; }
  std::optional<partial_result> partial_of(const tasks::command& c);
  static const detail::reduction& reduction_into(const task_body& body, tasks::buffer_id into);
  static bool includes_current(const detail::reduction& how, const running& r);
  int next_tag(std::map<tasks::rank_id, messages_so_far>& with, const tasks::command& c) const;
  static task_function counted(std::shared_ptr<std::size_t> left, task_function then);
  /// For work elsewhere: what it calls when it has ended runs on this thread.
  when_done back_here(std::function<void(std::exception_ptr)> then);

  private_communicator messages_, barriers_;
  int rank_, size_, most_tags_;
  std::unique_ptr<backend> on_;
  pending_requests requests_;
  watch watch_;
  std::vector<std::unique_ptr<local_buffer>> buffers_; ///< by number; null: it is gone
  std::map<tasks::buffer_id, std::string> names_;
  std::vector<std::pair<tasks::buffer_id, tasks::task_id>> dropped_;
  std::map<std::uint32_t, std::pair<MPI_Comm, std::unique_ptr<serial_thread>>> groups_;
  /// By number, from `first_body_` on; null for those without one, as horizons are.
  std::deque<std::shared_ptr<task_body>> bodies_;
  tasks::task_id first_body_{1};
  /// By number: from the first that is not complete to the last that came. Null: complete.
  std::deque<std::unique_ptr<running>> running_;
  std::vector<std::unique_ptr<running>> spare_; ///< complete, kept for their memory
  std::uint64_t first_running_ = 0;
  std::map<tasks::buffer_id, std::map<tasks::task_id, reduction_so_far>> reductions_;
  std::map<tasks::rank_id, messages_so_far> sent_, awaited_;
  exchanges exchanges_;
  std::string tasks_since_; ///< the last comparison
  std::uint64_t last_compared_ = 0;

  std::vector<ready_kernel> kernels_;
  std::vector<ended_part> ended_, ending_; ///< of kernels; what run_posted() has taken, as below
  std::vector<task_function> posts_;       ///< what run_posted() has taken: kept for its memory
  std::vector<delivery> deliveries_;
  std::vector<std::vector<tasks::command>> spent_; ///< lists of deliveries, for their memory

  mutable std::mutex mutex_;
  std::condition_variable change_;
  std::vector<task_function> posted_;
  std::vector<delivery> delivered_;
  std::vector<std::vector<tasks::command>> lists_; ///< empty, for the next deliveries
  bool leading_ = false;                           ///< some thread
  bool quiet_ = false;                             ///< when the last one left the lead, nothing was under way
  std::atomic<bool> stopping_ = false;             ///< changes with the lock
  int asleep_ = 0;                                 ///< threads that wait for a change
  int rest_until_woken_ = 0;                       ///< those of them that do not look around
  std::chrono::milliseconds pause_{5};
  std::optional<std::thread::id> in_kernel_;
  std::optional<std::string> failure_;
  double waiting_since_ = 0, looked_ = 0;
  std::size_t compared_ = 0;                            ///< watch_.open(), for other threads
  std::size_t kept_ = 0;                                ///< tasks, from add() to the horizon after them
  std::vector<std::shared_ptr<task_body>> done_bodies_; ///< of no use any more
  std::condition_variable room_;
  submitting_thread submitter_;
  std::atomic<std::size_t> elsewhere_{0}; ///< calls of post() that threads of the backend owe
  std::array<std::thread, 2> threads_;
};

} // namespace tacit::runtime
