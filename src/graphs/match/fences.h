// Where fences cut: which fences belong together, and between which two fences of its rank each operation
// lies.
//
// The k-th fences of a communicator's members form a group. A group waits for every operation before it, on
// every member, and precedes every operation after it. Because the fences of one rank are totally ordered, it
// is enough to know for each operation the last fence before it and the first one after it; the rest follows
// by transitivity.
//
// An ordinary operation lies where it was created. The remote half of a put or get lies in the epoch of its
// origin operation: after the k-th fence of a communicator at the target iff the origin operation is after
// the k-th fence of that communicator at the origin. Only communicators that hold both ranks order it. Cost
// O(operations + fences log fences + one-sided pairs · communicators with fences).
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <vector>

namespace tacit::graphs {

inline constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

struct fence_order {
  std::vector<op_id> before;               ///< per operation: last fence of its rank before it, or no_op
  std::vector<op_id> after;                ///< per operation: first fence of its rank after it, or no_op
  std::vector<std::uint32_t> group;        ///< per operation: the group of a fence, no_group for the rest
  std::vector<std::vector<op_id>> members; ///< per group: its fences
  // Lists in creation order, linked through the operations: who waits for a group, and for whom a group
  // waits.
  std::vector<op_id> first_released, next_released;
  std::vector<op_id> first_awaited, next_awaited;

  bool any() const { return !members.empty(); }
  std::uint32_t group_before(op_id op) const {
    return before[index(op)] == no_op ? no_group : group[index(before[index(op)])];
  }
  std::uint32_t group_after(op_id op) const {
    return after[index(op)] == no_op ? no_group : group[index(after[index(op)])];
  }
};

/// Empty (any() is false) for a graph without fences.
fence_order order_fences(const graph& g);

} // namespace tacit::graphs
