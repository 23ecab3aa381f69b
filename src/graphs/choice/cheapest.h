// Problem: to make and to play all that does what a graph means takes most of a compilation beyond 2,000 ranks, and all but one of these
// plans are thrown away.
//
// Idea: branch and bound. Each variant has a price that it cannot be cheaper than: that of an algorithm from its shape (form_bound.h), that
// of straight messages from the transfers, that of a plan from what its ranks are busy with (cost/least_makespan.h). The one that
// could be cheapest is made and played first; what cannot be cheaper than the cheapest one so far is left out, and playing stops where it
// becomes costlier. MPI's collectives are as cheap as the cheapest algorithm and a little more, so they are priced last.
#pragma once

#include "graphs/choice/choose.h"

#include <optional>

namespace tacit::graphs {

/// The variant that comparing all of them takes first, and the other finalists, as far as they need not be validated.
/// Nothing where several are wanted, or one driver, or the graph has stages,
/// or long operands (in_pieces.h), or collectives of MPI beside reductions that must keep an order; nor where it would take all prices to be certain.
std::optional<choice> cheapest_variant(const graph& g, const compilation& c, const compile_options& options,
                                       const choice_request& wanted);

} // namespace tacit::graphs
