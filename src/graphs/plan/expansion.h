// A plan as a graph.
//
// Every collective is what MPI says it means: a broadcast is a message from the root to every other member, a barrier makes every member
// wait for every other one. A barrier is expanded into a star of zero-byte messages through its first member: that has exactly the wait
// sets of a barrier, and unlike a fence it orders nothing that the plan does not order. Steps with several
// operations are followed by an empty copy, so that a dependency on them is one edge.
#pragma once

#include "graphs/plan/plan.h"

#include <vector>

namespace tacit::graphs {

struct expansion {
  graph g;
  std::vector<op_id> original; ///< per operation of `g`: the computation or reduction it stands for, or no_op
};

/// Cost O(steps + messages that collectives stand for).
expansion expand(const graph& g, const plan& p);

/// The first byte that an operation writes, else reads.
fault_location location_of(const graph& g, op_id op);

} // namespace tacit::graphs
