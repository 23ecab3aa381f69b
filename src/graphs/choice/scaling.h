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
  std::string_view driver; ///< the cheapest of those that were asked for; none if it is not priced
  double ns = -1;          ///< from the start of all ranks to the end of the last one; negative: not priced
  bool at_least =
      false;       ///< it was not played: by what its rounds and each rank's messages take (form_bound.h)
  std::string why; ///< not priced, or not played
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

/// Prices of all algorithms of the recipe's pattern on that number of ranks, by makespan() of messages by these drivers ("p2p",
/// "shm"). Forms of more than `most_messages`, or four times as many pieces, have bounds instead. Cost: some 600 bytes and 1 to
/// 2 µs for each message and driver.
scaled_prices prices_on(const recipe& r, std::uint32_t ranks, const machine_costs& costs,
                        const machine_size& machine, std::span<const std::string_view> drivers,
                        std::uint64_t most_messages = 2'000'000);

} // namespace tacit::graphs
