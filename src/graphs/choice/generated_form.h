// The collectives of a plan carried out by messages, as a well-known algorithm does it (graphs/generate).
#pragma once

#include "graphs/generate/generate.h"
#include "graphs/graph/graph.h"
#include "graphs/plan/plan.h"

namespace tacit::graphs {

/// Whether some collective of the plan can be carried out so: the algorithm exists for its pattern and its number of members, and
/// its blocks are all equally long.
bool has_form(const graph& g, const plan& p, algorithm form);

/// The plan with messages in place of collectives: by the algorithm where it can be, else straight from origin to destination;
/// barriers by dissemination. What else is in the plan stays as it is. Segments of pipelined forms are some 32 KiB long.
plan with_messages(const graph& g, const plan& p, algorithm form);

} // namespace tacit::graphs
