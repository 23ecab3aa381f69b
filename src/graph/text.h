// The readable graph text format, in and out. See docs/graph-format.md for the grammar.
#pragma once

#include "base/diagnostic.h"
#include "graph/graph.h"

#include <optional>
#include <string>
#include <string_view>

namespace tacit {

/// Reads a graph; on malformed input returns nothing and says where (line and column) and what was expected.
std::optional<graph> read_graph(std::string_view text, diagnostics& problems);

/// Writes a graph such that read_graph gives an equal one.
std::string write_graph(const graph& g);

} // namespace tacit
