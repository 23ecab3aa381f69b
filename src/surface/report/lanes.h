// Graphs and plans as space-time pictures.
#pragma once

#include "graph/graph.h"
#include "match/match.h"
#include "plan/plan.h"
#include "report/page.h"

namespace tacit::report {

/// The graph as written. A step is the depth of dependence: an operation comes one step after the latest of
/// what it depends on; a message starts at its send's step and ends one later. At most `limit` messages are
/// kept, the earliest first.
lanes lanes_of(const graph& g, const matching& m, const run_order& o, std::size_t limit);

/// What a plan does instead.
lanes lanes_of(const graph& g, const plan& p, std::size_t limit);

} // namespace tacit::report
