// What all ranks of a communicator believe about their machine: one model for each class of pairs.
#pragma once

#include "graphs/cost/message_cost.h"
#include "graphs/platform/machine_model.h"

#include <cstdint>
#include <optional>
#include <span>

namespace tacit::graphs {

struct machine_costs {
  machine_model within_node = default_model();
  machine_model between_nodes = model_of(message_cost(), pair_class::other_node);
  message_cost messages = cost_of(default_model()); ///< in short, for passes that weigh messages only
  std::optional<machine_model> between_caches;      ///< of a node; nothing: as within it

  const machine_model& of(pair_class c) const {
    if (c == pair_class::other_node)
      return between_nodes;
    return c == pair_class::other_cache && between_caches ? *between_caches : within_node;
  }
};

/// Of two ranks of a node, by the caches of all ranks (0: not known; empty: of none): it is known of both, and they differ.
inline bool share_no_cache(std::span<const std::uint64_t> cache, std::size_t a, std::size_t b) {
  return !cache.empty() && cache[a] != cache[b] && cache[a] != 0 && cache[b] != 0;
}

/// Of a machine with these models; `one_node`: there are no others.
machine_costs costs_of(const machine_model& within_node, const machine_model& between_nodes, bool one_node);

/// In which all messages cost what the user says.
machine_costs costs_of(const message_cost& said);

} // namespace tacit::graphs
