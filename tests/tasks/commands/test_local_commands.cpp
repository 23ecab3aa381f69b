// Which commands of a rank come after which: horizons stand for what they come after, and for nothing else.
#include "tasks/commands/local_commands.h"

#include <gtest/gtest.h>
#include <set>

namespace tacit::tasks {
namespace {

constexpr buffer_id watched{0};

box elements(coordinate begin, coordinate end) {
  return box_of({begin, 0, 0}, {end, 1, 1});
}

command_id execute(local_commands& into, const std::vector<touched>& reads,
                   const std::vector<touched>& writes) {
  command c;
  c.kind = command_kind::execute;
  into.append(std::move(c), reads, writes);
  return command_id{index(into.next()) - 1};
}

void horizon(local_commands& into) {
  command c;
  c.kind = command_kind::horizon;
  into.append_barrier(std::move(c));
}

/// All that have to be complete before a command, directly or not.
std::set<command_id> all_before(const std::vector<command>& commands, command_id last) {
  std::set<command_id> out{last};
  for (auto c = commands.rbegin(); c != commands.rend(); ++c)
    if (out.contains(c->id))
      out.insert(c->after.begin(), c->after.end());
  return out;
}

TEST(local_commands, readers_before_a_horizon_are_not_forgotten_for_one_after_it) {
  constexpr coordinate n = 10; // enough different entries that forgetting shortens them
  local_commands commands;
  commands.add_buffer(range{{n, 1, 1}});
  for (coordinate x = 0; x < n; ++x)
    execute(commands, {}, {{watched, elements(x, x + 1)}});
  const command_id early = execute(commands, {{watched, elements(0, n)}}, {});
  horizon(commands);
  const command_id late = execute(commands, {{watched, elements(0, 1)}}, {});
  horizon(commands);
  const command_id writer = execute(commands, {}, {{watched, elements(0, 1)}});
  const std::vector<command> made = commands.take();
  EXPECT_FALSE(all_before(made, late).contains(early)) << "readers do not wait for each other";
  EXPECT_TRUE(all_before(made, writer).contains(late));
  EXPECT_TRUE(all_before(made, writer).contains(early));
}

} // namespace
} // namespace tacit::tasks
