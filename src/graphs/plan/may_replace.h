// Whether a graph may be replaced at all (E0, SEMANTICS 4).
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "graphs/plan/plan.h"

#include <string>
#include <utility>

namespace tacit::graphs {

/// Why the graph cannot be replaced at all, and what stands in the way in words; or reason::none.
std::pair<reason, std::string> may_replace(const graph& g, const transfers& t);

/// Likewise if all operations are kept.
std::pair<reason, std::string> why_all_is_kept(const graph& g, const transfers& t);

} // namespace tacit::graphs
