// Which variants the first runs of a graph measure, and some later ones again, without being asked (decision 278): what predictions take
// first, so that it may be rolled back, and what may turn out to be faster.
#pragma once

#include "graphs/choice/choose.h"
#include "vocabulary/base/function_ref.h"

#include <cstddef>
#include <vector>

namespace tacit::graphs {

inline constexpr std::size_t most_finalists = 6;

/// Somewhere ranks share cores.
bool has_crowded_node(const process_map& where, std::uint32_t ranks);

/// Positions in `cheapest_first`, the one to be taken first: of those that may be taken the cheapest one; if the graph as written takes
/// long enough and nothing was asked for by name, also the graph as written by MPI's messages (unless it is ten times as dear), the
/// cheapest three through memory, whose prices depend most on what no model knows, and whatever else is cheap, six in all. `steps`:
/// of the rank that has the most; what has more than 512 is measured only if it is the first, and of those with more than 64 there are
/// four in all. Empty if none may be taken.
std::vector<std::size_t> finalists_among(const std::vector<priced_variant>& cheapest_first,
                                         const choice_request& wanted,
                                         function_ref<bool(std::size_t)> may_be_taken,
                                         function_ref<std::size_t(std::size_t)> steps);

} // namespace tacit::graphs
