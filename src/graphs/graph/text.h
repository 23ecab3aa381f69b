// The readable graph text format, in and out. See docs/graph-format.md for the grammar.
#pragma once

#include "graphs/graph/graph.h"
#include "vocabulary/base/diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// Reads a graph; on malformed input returns nothing and says where (line and column) and what was expected.
/// Checks the form, and what no operation could be blamed for later: communicators and blocks of ranks that
/// do not exist. Whether the operations make sense is for check_operations and the later rooms to say.
/// `lines`, if given, gets the line of each operation.
std::optional<graph> read_graph(std::string_view text, diagnostics& problems,
                                std::vector<std::uint32_t>* lines = nullptr);

/// Writes a graph such that read_graph gives an equal one, if it names no rank outside the graph and no
/// member of a communicator twice: the same operations in the same order with the same segments,
/// communicators, pairs and dependencies, and the same scratch and live bytes at each rank. Operations are
/// labelled with their numbers, as diagnostics name them.
std::string write_graph(const graph& g);

} // namespace tacit::graphs
