// The command graph of one rank: numbers commands and finds what each comes after, by what it reads and writes in the memory of
// this rank. Horizons bound what is remembered, as in the task graph (stream/task_stream.h).
#pragma once

#include "tasks/commands/command.h"
#include "tasks/commands/window.h"
#include "tasks/stream/access_order.h"
#include "tasks/stream/front.h"

#include <map>

namespace tacit::tasks {

/// What collective groups count as among the objects that order commands.
inline constexpr std::uint64_t first_group = std::uint64_t{1} << 32;

/// Commands of a rank by numbers that were theirs once: what is forgotten is so now, too, all others have moved alike.
struct renumbering {
  command_id forgotten_then{}, forgotten_now{};
  std::uint64_t further = 0; ///< how much larger numbers are now, those of commands that are not forgotten
  command_id operator()(command_id then) const {
    return then <= forgotten_then ? forgotten_now : command_id{index(then) + further};
  }
};

class local_commands {
public:
  /// Begins with an epoch, command 0.
  local_commands();

  void add_buffer(const range& extent) { order_.add_buffer(extent, last_horizon_); }
  void drop_buffer(buffer_id buffer) { order_.drop_buffer(buffer); }
  /// Appends a command.
  void append(command c, const std::vector<touched>& reads, const std::vector<touched>& writes);
  /// A command that comes after everything; an epoch comes before all that follows, a horizon lets what is before the last one
  /// be forgotten.
  void append_barrier(command c);
  /// The next command touches an object: those that touch the same one come one after the other.
  void touch_object(std::uint64_t object);
  /// What was appended since the last call.
  std::vector<command> take() { return std::exchange(made_, {}); }
  /// The same into a list that may have memory already.
  void take(std::vector<command>& into) {
    into.clear();
    into.swap(made_);
  }
  command_id next() const { return next_; }

  /// What decides after what commands come that touch some buffers and objects; numbers are as they were then.
  struct state {
    std::vector<access_order<command_id>::known> buffers; ///< in the order in which they were named
    std::vector<std::optional<command_id>> objects;       ///< who touched them last
    front<command_id> open;
    command_id next{}, last_horizon{}, forgotten{};
  };
  state state_of(const std::vector<buffer_id>& buffers, const std::vector<std::uint64_t>& objects) const;
  /// What the numbers of a state have become by now, or nothing if what it was about has another state now.
  std::optional<renumbering> matches(const state& then, const std::vector<buffer_id>& buffers,
                                     const std::vector<std::uint64_t>& objects) const;
  /// The state as the commands after `then` left it, which are appended with their new numbers.
  void become(const state& after, const renumbering& now, const std::vector<buffer_id>& buffers,
              const std::vector<std::uint64_t>& objects, bool barrier);
  std::size_t made() const { return made_.size(); }
  const command& made(std::size_t number) const { return made_[number]; }
  /// So many will be added.
  void expect(std::size_t commands) { made_.reserve(made_.size() + commands); }
  /// One that has its number, and comes after what it says.
  void add_again(command c) { add(std::move(c)); }

private:
  void number(command& c);
  void add(command&& c);

  access_order<command_id> order_;
  front<command_id> front_;
  std::map<std::uint64_t, command_id> last_at_object_;
  std::vector<command> made_;
  std::vector<command_id> after_; ///< of the next command, so far
  command_id next_{}, last_horizon_{};
};

} // namespace tacit::tasks
