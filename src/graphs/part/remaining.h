// What is left of a graph when every rank has followed its part: the final receives, as a graph by themselves.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"

#include <optional>
#include <span>

namespace tacit::graphs {

/// The transfers as messages from origin to destination, one for each pair of ranks, and one copy at each rank that moves bytes of its own.
/// All that reads a byte comes before what overwrites it, so the graph leaves just these transfers. `ranks`: a graph without operations,
/// whose communicators it gets. Nothing if copies at one rank overwrite what they read. Cost O(transfers log transfers + what depends).
std::optional<graph> remaining_graph(graph ranks, std::span<const transfer> moved);

} // namespace tacit::graphs
