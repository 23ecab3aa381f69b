// A rank that does not exist: takes commands, counts them, and carries out none.
//
// No kernel and no host task runs, nothing is allocated, and there are no messages. Whoever waits goes on as soon as what it waits
// for is planned; fences of buffers give zeros, whatever the buffer holds. So a program whose control flow depends on what its kernels
// compute takes the branch for zeros.
#pragma once

#include "runtime/executor/command_executor.h"
#include "tasks/explain/explain.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace tacit::runtime {

class dry_executor final : public command_executor {
public:
  explicit dry_executor(tasks::rank_id me) : me_(me) {}

  void add_buffer(tasks::buffer_id number, const detail::buffer_description& what) override;
  void name_buffer(tasks::buffer_id, const std::string&) override {}
  void drop_buffer(tasks::buffer_id, tasks::task_id) override {} // of their tasks some may wait to be planned
  void add_collective_group(std::uint32_t, MPI_Comm) override {}
  void add(std::shared_ptr<task_body> body, std::vector<tasks::command>& commands) override;
  void deliver() override {}
  void wait_for_room(std::size_t most) override;
  void free_bodies() override {}
  std::size_t open_tasks() const override;
  void wait_until_quiet() override {}
  void fail(const std::string& why) override;
  std::optional<std::string> failure() const override;

  /// Of all commands so far.
  tasks::plan_summary summary() const;

private:
  void fill_with_zeros(const task_body& fence) const;
  void finish(const tasks::command& c);

  mutable std::mutex mutex_;
  std::condition_variable room_;
  tasks::rank_id me_;
  std::map<tasks::buffer_id, std::size_t> element_bytes_;
  std::map<tasks::task_id, std::shared_ptr<task_body>>
      waiting_; ///< epochs and fences that were not planned yet
  std::size_t submitted_ = 0, planned_ = 0;
  tasks::plan_summary summary_;
  std::optional<std::string> failure_;
};

} // namespace tacit::runtime
