// What graphs leave in which every rank receives once at most, as along the trees of broadcasts and scatters. Private to this room.
#pragma once

#include "graphs/flow/flow.h"

#include <optional>

namespace tacit::graphs {

/// What `follow` returns, or nothing if a rank receives twice, if messages have several pieces, if a rank passes on a piece of which it has
/// received a part, if it cannot be told by dependencies which came first, or if a budget might not do: then bytes have to be followed.
/// Needs a graph without races. Cost O(operations + dependencies).
std::optional<transfers> follow_single_receives(const graph& g, const matching& m, const run_order& o,
                                                const flow_options& options);

} // namespace tacit::graphs
