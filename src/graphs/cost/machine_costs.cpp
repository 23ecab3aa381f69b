#include "graphs/cost/machine_costs.h"

#include <algorithm>

namespace tacit::graphs {

machine_costs costs_of(const machine_model& within_node, const machine_model& between_nodes, bool one_node) {
  machine_costs c{within_node, between_nodes, cost_of(one_node ? within_node : between_nodes), std::nullopt};
  if (!one_node)
    c.messages.node_share = std::min(cost_of(within_node).overhead / c.messages.overhead, 1.0);
  return c;
}

machine_costs costs_of(const message_cost& said) {
  return {model_of(said, pair_class::same_node), model_of(said, pair_class::other_node), said, std::nullopt};
}

} // namespace tacit::graphs
