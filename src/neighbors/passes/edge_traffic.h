// What a message per edge would move, without the plan, which need not be made to learn its price.
#pragma once

#include "graphs/cost/traffic.h"
#include "neighbors/passes/neighbor.h"

namespace tacit::neighbors {

/// As graphs::traffic_of of the plan that `passes` without coalescing would give.
graphs::traffic traffic_by_edge(const neighborhood& n, rank_id rank, const neighbor_blocks& blocks,
                                const neighbor_passes& passes, const graphs::peer_class& class_of);

} // namespace tacit::neighbors
