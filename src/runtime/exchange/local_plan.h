// The plan that a rank makes alone, from its own arguments: what blocking and nonblocking calls run, and what
// persistent operations start from.
#pragma once

#include "neighbors/passes/neighbor.h"
#include "runtime/exchange/exchange_site.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/run/program.h"

namespace tacit::runtime {

/// `sizes_known`: both ends of every edge have compared sizes. Local. Throws neighbor_error: edges of this
/// rank to itself contradict each other.
graphs::rank_plan local_plan(const exchange_site& site, neighbors::neighbor_blocks blocks,
                             const neighbors::neighbor_passes& passes, bool sizes_known);

/// One message per edge, nothing left out: what any other plan must do the same as.
graphs::rank_plan plain_plan(const exchange_site& site, neighbors::neighbor_blocks blocks);

/// The plan as a program whose messages have tags from `first_tag` on.
program program_of(graphs::rank_plan plan, int rank, int first_tag, bool unattended);

} // namespace tacit::runtime
