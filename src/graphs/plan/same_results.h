// Does a plan, as a graph, leave what the graph leaves, and do its computations read what they read there?
//
// Computations are the program's own code: each runs once, reads what it reads in the graph, and behind the same others of its rank.
// Reductions of the plan that stand for one of the graph must have its operands. Where collectives combine, there is none to compare
// with: what they leave must be the same terms as in the graph, all operands the same, and for another order there must be leave.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/plan/expansion.h"

#include <string>

namespace tacit::graphs {

/// Of graphs without computations: what is wrong, with its place in `where`; empty: nothing.
std::string check_transfers(const graph& g, const expansion& e, const transfers& wanted,
                            const transfers& plan_moves, bool reassociate, fault_location& where);

/// Of graphs with some, likewise. `em` and `eo` are of the expansion.
std::string check_with_computations(const graph& g, const matching& m, const run_order& o, const expansion& e,
                                    const matching& em, const run_order& eo, bool reassociate,
                                    fault_location& where);

} // namespace tacit::graphs
