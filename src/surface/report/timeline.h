// Graphs and plans as space-time pictures.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/match/match.h"
#include "graphs/plan/plan.h"
#include "surface/report/page.h"

namespace tacit::surface {

/// The graph as written. A step is the depth of dependence: an operation comes one step after the latest of
/// what it depends on; a message starts at its send's step and ends one later. At most `limit` messages are
/// kept, the earliest first.
timeline timeline_of(const graphs::graph& g, const graphs::matching& m, const graphs::run_order& o,
                     std::size_t limit);

/// What a plan does instead.
timeline timeline_of(const graphs::graph& g, const graphs::plan& p, std::size_t limit);

} // namespace tacit::surface
