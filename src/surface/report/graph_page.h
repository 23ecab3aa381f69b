// The analysis of a graph as a page, as JSON and as DOT; the graph itself in GOAL.
#pragma once

#include "graphs/compile/compile.h"
#include "surface/report/page.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacit::surface {

/// A graph, what was found out about it, and where it came from.
struct graph_analysis {
  std::string_view name; ///< of the file
  const graphs::graph& g;
  const graphs::compilation& c;
  std::span<const std::uint32_t> lines; ///< of each operation in the file, or empty
};

/// Wait sets are shown up to this many ranks: they need p²/8 bytes.
inline constexpr std::uint32_t most_wait_sets = 2048;

page page_of(const graph_analysis& a);
std::string json_of(const graph_analysis& a);
/// Operations by rank, dependencies and messages, for Graphviz. Meant for small graphs.
std::string dot_of(const graph_analysis& a);
/// Operations and dependencies in GOAL, for LogGOPSim; a graph with errors cannot be written. Nothing if there are fences on
/// different communicators.
std::optional<std::string> goal_of(const graph_analysis& a);

/// "alltoall on row0, 64 B per pair" without the number of bytes if there are none.
std::string describe(const graphs::finding& f, const graphs::graph& g);
/// "all 4 ranks" for the world, else the name of the communicator and its size.
std::string describe_group(const graphs::graph& g, comm_id comm);

/// The ranks a rank waits for, as "0–3, 7".
std::string wait_set_text(const graphs::wait_sets& w, rank_id rank, std::uint32_t ranks);

} // namespace tacit::surface
