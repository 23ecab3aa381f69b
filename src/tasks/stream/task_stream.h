// The task graph: tasks in the order of submission, which depends on which, and when a horizon is due.
//
// The same on every rank and for any number of ranks. Tasks are not kept: who needs them keeps what submit() returns.
//
// Horizons: when the longest chain since the last one has `horizon_step` tasks, or there are `most_between` tasks, the next
// task is preceded by a horizon, which comes after everything. With each horizon, what lies before the previous one is forgotten
// (that one stands for it), so that memory is bounded by the tasks between three horizons and execution never has to run dry.
#pragma once

#include "tasks/stream/access_order.h"
#include "tasks/stream/front.h"
#include "tasks/stream/stream.h"

#include "vocabulary/base/diagnostic.h"

#include <map>
#include <optional>

namespace tacit::tasks {

/// The place of a task in the graph.
struct submitted {
  task_id id{};
  std::vector<task_id> after; ///< sorted
  std::uint64_t hash = 0;     ///< running, with this task
};

class task_stream {
public:
  static constexpr std::size_t most_between = 64;

  /// Begins with an epoch, task 0.
  explicit task_stream(int horizon_step = 4);

  buffer_id create_buffer(buffer b);
  /// For diagnostics and pictures; says nothing to other ranks.
  void rename_buffer(buffer_id buffer, const std::string& name) { buffers_[index(buffer)].name = name; }
  /// No later task accesses it. Its description stays.
  void drop_buffer(buffer_id buffer) { order_.drop_buffer(buffer); }
  const std::vector<buffer>& buffers() const { return buffers_; }

  /// Whether a horizon has to come before the next task.
  bool horizon_is_due() const;
  /// Numbers a task. `digest` is that of the task.
  submitted number(std::uint64_t digest);
  /// Finds what a task comes after that has been numbered. An epoch comes after everything, and everything later after it. `touched`
  /// says for each access which elements all chunks together touch, within the buffer. To be called in the order of tasks; those before
  /// a horizon or an epoch may be left out if nobody wants to know after which tasks others come.
  void order(const task& t, const std::vector<region>& touched, submitted& at);
  /// No task was ordered since the last horizon or epoch.
  bool fresh() const { return front_.size() == 1; }

  /// The number of the next task.
  task_id next() const { return next_; }
  std::uint64_t hash() const { return hash_.value(); }

private:
  void order_accesses(const task& t, const std::vector<region>& touched, task_id id,
                      std::vector<task_id>& after);
  void order_objects(const task& t, task_id id, std::vector<task_id>& after);
  void restart(task_kind kind, task_id id);

  int horizon_step_;
  std::vector<buffer> buffers_;
  access_order<task_id> order_;
  front<task_id> front_;
  std::map<std::uint64_t, task_id> last_at_object_; ///< host objects, and collective groups behind them
  task_id next_{}, last_horizon_{};
  hashed_words hash_;
};

} // namespace tacit::tasks
