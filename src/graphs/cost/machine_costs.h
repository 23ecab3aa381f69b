// What all ranks of a communicator believe about their machine: one model for each class of pairs.
#pragma once

#include "graphs/cost/message_cost.h"
#include "graphs/platform/machine_model.h"

namespace tacit::graphs {

struct machine_costs {
  machine_model within_node = default_model();
  machine_model between_nodes = model_of(message_cost(), pair_class::other_node);
  message_cost messages = cost_of(default_model()); ///< in short, for passes that weigh messages only

  const machine_model& of(pair_class c) const {
    return c == pair_class::same_node ? within_node : between_nodes;
  }
};

/// Of a machine with these models; `one_node`: there are no others.
machine_costs costs_of(const machine_model& within_node, const machine_model& between_nodes, bool one_node);

/// In which all messages cost what the user says.
machine_costs costs_of(const message_cost& said);

} // namespace tacit::graphs
