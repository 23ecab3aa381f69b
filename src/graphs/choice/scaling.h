// What a pattern would take on other numbers of ranks, by the algorithm that the program wrote and by every other one.
//
// A graph says what happens on its own number of ranks. On others it can be followed only if it is one of the known algorithms
// (graphs/generate), which is checked operation by operation.
#pragma once

#include "graphs/cost/machine_costs.h"
#include "graphs/detect/detect.h"
#include "graphs/generate/generate.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tacit::graphs {

/// The recipe of which this graph is what `generate` makes, up to addresses and tags: the same operations in the same order with
/// the same lengths, partners and dependencies on each rank. Nothing if there is none. `found`: of the graph.
std::optional<recipe> recipe_of(const graph& g, const findings& found);

struct form_price {
  algorithm form = algorithm::linear;
  double ns = -1;  ///< from the start of all ranks to the end of the last one; negative: not priced
  std::string why; ///< not priced
};

struct scaled_prices {
  std::uint32_t ranks = 0;
  std::vector<form_price> forms; ///< those of the pattern, in the order of known_algorithms()
};

/// Where the ranks run: so many on each node, in order.
struct machine_size {
  std::uint32_t ranks_per_node = 1;
  std::uint32_t cores_per_node = 1;
};

/// Prices of all algorithms of the recipe's pattern on that number of ranks, by makespan() of messages. Forms of more than
/// `most_messages`, or four times as many pieces, are not priced. Cost: some 600 bytes and 1 to 2 µs for each message.
scaled_prices prices_on(const recipe& r, std::uint32_t ranks, const machine_costs& costs,
                        const machine_size& machine, std::uint64_t most_messages = 2'000'000);

} // namespace tacit::graphs
