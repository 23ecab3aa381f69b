// Ranks whose memory is used so plainly that no two of their operations can race. Private to the search for races.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <vector>

namespace tacit::graphs {

/// The ranks that need a search, ascending; of all others it is sure that they have no races. Cost O(operations + dependencies),
/// in the order in which they were created.
std::vector<std::uint32_t> ranks_to_search(const graph& g);

} // namespace tacit::graphs
