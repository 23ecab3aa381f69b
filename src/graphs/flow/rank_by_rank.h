// What graphs leave in which ranks do much: the same as by following one operation after the other, with the memory of one rank at a time.
// Private to this room.
#pragma once

#include "graphs/flow/flow.h"

#include <optional>

namespace tacit::graphs {

/// What `follow` returns, or nothing if something is combined, if an operation has 4 GiB or more, if messages carry far more fragments than
/// ranks have pieces, or if a budget might not do: then operations have to be followed one after the other. Cost O(pieces log pieces) for
/// each rank, as good as linear where the same pieces are used again, and O(fragments moved). Memory O(fragments moved), 16 bytes each.
std::optional<transfers> follow_rank_by_rank(const graph& g, const matching& m, const run_order& o,
                                             const flow_options& options);

} // namespace tacit::graphs
