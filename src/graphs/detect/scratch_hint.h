// What scratch memory that was not declared costs: a remark for the user, never a change.
#pragma once

#include "graphs/detect/detect.h"

namespace tacit::graphs {

/// Adds a remark (reason undeclared_scratch) if all transfers were collectives once the bytes that ranks only pass on did not count
/// as results. O(residual) if `found` leaves no message over and has no vector forms; else another search.
void hint_at_scratch(const graph& g, const matching& m, const run_order& o, const transfers& t,
                     const findings& found, const detect_options& options, diagnostics& problems);

} // namespace tacit::graphs
