// Which operations reductions concern, and which only move bytes.
#pragma once

#include "graphs/flow/flow.h"

namespace tacit::graphs {

/// Fills kept_operations, and moves from `list` to `kept` what these operations write.
void separate(const graph& g, const matching& m, const run_order& o, transfers& t);

} // namespace tacit::graphs
