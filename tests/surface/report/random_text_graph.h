// Graphs for tests of the text format: any combination of everything that the format can express, sense or
// not.
#pragma once

#include "graphs/graph/graph.h"

#include <random>
#include <string>

namespace tacit::tests {

using namespace surface;

graphs::graph random_text_graph(std::mt19937_64& random);

/// Empty if both say the same (up to the order of dependencies and of declared bytes of different ranks),
/// else the first difference.
std::string difference(const graphs::graph& a, const graphs::graph& b);

} // namespace tacit::tests
