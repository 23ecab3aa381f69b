// Which operations reductions and computations concern, and which only move bytes.
#pragma once

#include "graphs/flow/flow.h"

#include <vector>

namespace tacit::graphs {

/// Fills kept_operations with what reductions concern, and moves from `list` to `kept` what these operations write.
void separate(const graph& g, const matching& m, const run_order& o, transfers& t);

/// All transfers in their order, what is kept among them; where the two meet, transfers are not as long as they could be.
std::vector<transfer> with_kept(const transfers& t);

/// The same transfers, with what computations concern kept as well; all parts have new numbers. Cost O(accesses log accesses +
/// dependencies log dependencies).
transfers apart_from_computations(const graph& g, const matching& m, const run_order& o, transfers t);

} // namespace tacit::graphs
