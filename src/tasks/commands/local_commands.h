// The command graph of one rank: numbers commands and finds what each comes after, by what it reads and writes in the memory of
// this rank. Horizons bound what is remembered, as in the task graph (stream/task_stream.h).
#pragma once

#include "tasks/commands/command.h"
#include "tasks/stream/access_order.h"
#include "tasks/stream/front.h"

#include <map>

namespace tacit::tasks {

/// Parts of buffers that a command reads or writes.
struct touched {
  buffer_id buffer{};
  region where;
};

class local_commands {
public:
  /// Begins with an epoch, command 0.
  local_commands();

  void add_buffer(const range& extent) { order_.add_buffer(extent, last_horizon_); }
  void drop_buffer(buffer_id buffer) { order_.drop_buffer(buffer); }
  /// Appends a command; `after` may already name commands.
  void append(command c, const std::vector<touched>& reads, const std::vector<touched>& writes);
  /// A command that comes after everything; an epoch comes before all that follows, a horizon lets what is before the last one
  /// be forgotten.
  void append_barrier(command c);
  /// Commands that touch the same object come one after the other.
  void touch_object(command& c, std::uint64_t object);
  /// What was appended since the last call.
  std::vector<command> take() { return std::exchange(made_, {}); }
  command_id next() const { return next_; }

private:
  void number(command& c);
  void add(command&& c);

  access_order<command_id> order_;
  front<command_id> front_;
  std::map<std::uint64_t, command_id> last_at_object_;
  std::vector<command> made_;
  command_id next_{}, last_horizon_{};
};

} // namespace tacit::tasks
