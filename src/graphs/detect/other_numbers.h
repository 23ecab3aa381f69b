// Whether a collective may be one on this number of ranks only.
//
// What a graph means is exact for its own number of ranks. On three ranks, though, whoever exchanges with both neighbors of a ring exchanges
// with all; on nine, a halo with corners of 3 x 3 ranks reaches everybody. A program that means all ranks puts their blocks where a·rank + b
// says (SEMANTICS 3); one that means neighbors has a place for each direction.
#pragma once

#include "graphs/detect/detect.h"

#include <string>

namespace tacit::graphs {

/// Empty if nothing speaks for this number of ranks only: the places of all blocks follow the ranks, or there are none that could. Else why, in words.
/// Vector collectives are not looked at: nobody knows where blocks of other lengths would lie. `moved`: what the findings take from.
/// Cost O(slices).
std::string why_on_this_number_only(const graph& g, const transfers& moved, const finding& f);

} // namespace tacit::graphs
