// For whom a rank may have to wait while a plan runs (E5).
//
// Wait sets say for whom a rank waits in any case. What it may wait for besides is up to the MPI library: a
// send may complete only when its receive has started, and a collective only when all members have called it.
// If each of these waits is one that the graph has anyway, the plan cannot hang where the graph does not,
// whatever the program around it does.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "graphs/match/match.h"
#include "graphs/plan/plan.h"

#include <string>

namespace tacit::graphs {

/// Says which rank may wait for which in the plan but not in the graph; empty if there is none. Cost: the
/// wait sets of both (flow.h); where the graph makes all ranks wait for each other, only that is looked at.
/// On more ranks than wait sets are computed for the answer is never empty otherwise.
std::string grown_waits(const graph& g, const matching& m, const run_order& o, const plan& p);

} // namespace tacit::graphs
