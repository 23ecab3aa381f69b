// Matches graphs whose operations are listed in one of two plain ways. Private to matching.
#pragma once

#include "graphs/match/match.h"

#include <optional>

namespace tacit::graphs {

/// Whether some message is longer than its receive, if all sends and receives are matched now. Nothing, and `m` as it was (without pairs), if
/// they are listed otherwise. Cost O(operations).
std::optional<bool> match_as_listed(const graph& g, matching& m);

} // namespace tacit::graphs
