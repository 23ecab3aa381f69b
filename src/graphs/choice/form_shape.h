// What the algorithms of graphs/generate are like on any number of members, without making them: how many messages wait for each
// other, how many blocks travel. So a choice can leave out what takes long to make, and what cannot be the cheapest.
#pragma once

#include "graphs/generate/generate.h"
#include "graphs/graph/graph.h"
#include "graphs/plan/plan.h"

#include <cstdint>
#include <vector>

namespace tacit::graphs {

/// One collective of a plan.
struct collective_shape {
  pattern kind = pattern::bcast;
  std::uint32_t members = 0;
  std::uint64_t block = 0; ///< bytes of the largest one
  friend bool operator==(const collective_shape&, const collective_shape&) = default;
};

/// Each collective of the plan once.
std::vector<collective_shape> shapes_of(const graph& g, const plan& p);

/// What the messages of all members carry, about, in blocks; a message without any counts as one.
double blocks_of(const std::vector<collective_shape>& all, algorithm form);

/// Messages of which each waits for the one before, at least.
double rounds_of(const collective_shape& s, algorithm form);
double most_rounds(const std::vector<collective_shape>& all, algorithm form);

/// Messages that each member sends, and of which it receives as many.
struct like_messages {
  double blocks = 0, count = 0;
};
/// All that are certain; none where members differ, or blocks.
std::vector<like_messages> messages_of_member(const collective_shape& s, algorithm form);

} // namespace tacit::graphs
