// What graphs leave in which nothing is passed on: every byte comes straight from the rank whose it was. Private to this room.
#pragma once

#include "graphs/flow/flow.h"

#include <optional>

namespace tacit::graphs {

/// What `follow` returns, or nothing if bytes may be passed on, are combined or unknown, if a rank may write one twice, or if a
/// budget might not do: then they have to be followed. Cost O(operations + segments), and of ranks that write in no
/// order O(segments log segments).
std::optional<transfers> follow_straight(const graph& g, const matching& m, const run_order& o,
                                         const flow_options& options);

} // namespace tacit::graphs
