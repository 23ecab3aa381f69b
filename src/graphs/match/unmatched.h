// What to say about operations that found no partner: private to room match.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/match/match.h"
#include "vocabulary/base/diagnostic.h"

#include <span>
#include <string>

namespace tacit::graphs {

/// One diagnostic for each of `unmatched` (sorted), with the nearest candidate and what differs.
void report_unmatched(const graph& g, const matching& m, std::span<const op_id> unmatched,
                      diagnostics& problems);

/// Communicators whose members have different numbers of fences.
void report_uneven_fences(const graph& g, diagnostics& problems);

std::string describe_truncation(const graph& g, op_id send, op_id receive, std::uint64_t sent,
                                std::uint64_t room);

} // namespace tacit::graphs
