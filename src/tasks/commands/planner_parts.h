// What the files of the planner share: batches, and small words of theirs.
#pragma once

#include "tasks/commands/planner.h"

#include <map>

namespace tacit::tasks {

inline std::uint32_t number_of(rank_id rank) {
  return static_cast<std::uint32_t>(index(rank));
}

/// Of a push and its await_push, on both sides.
inline std::uint64_t transfer_number(const command& c) {
  return index(c.task) << 20 | index(c.buffer);
}

/// Joins it with what is there of the same buffer.
void add_to(std::vector<touched>& all, buffer_id buffer, const region& where);

/// What one task exchanges: collectives, those of the same kind among the same ranks in one, and messages, one for each pair of
/// ranks and buffer.
struct planner::batch {
  struct group_of_parts {
    exchange_id number;
    collective what;
    team who;
  };
  struct message {
    buffer_id buffer{};
    rank_id peer = no_rank;
    auto operator<=>(const message&) const = default;
  };
  const planned& consumer;
  std::vector<group_of_parts> collectives;
  std::map<message, region> sends, receives;

  template <typename Number>
  exchange_id add(const classified& found, exchange_part part, const Number& next_number) {
    for (group_of_parts& g : collectives)
      if (g.what.kind == *found.kind && g.what.root == found.root && g.who == found.who) {
        g.what.parts.push_back(std::move(part));
        return g.number;
      }
    collective c;
    c.kind = *found.kind;
    c.root = found.root;
    c.parts.push_back(std::move(part));
    collectives.push_back({next_number(), std::move(c), found.who});
    return collectives.back().number;
  }
};

} // namespace tacit::tasks
