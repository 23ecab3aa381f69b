// What the passes believe a message costs. Decisions that all ranks must take alike are computed from these
// numbers and from facts that all ranks have.
#pragma once

#include "graphs/platform/machine_model.h"

#include <optional>
#include <string_view>

namespace tacit::graphs {

/// LogGP in short: o, L and G, in ns. The defaults stand for a fast network; only their ratios matter.
struct message_cost {
  double overhead = 300;      ///< that sender and receiver are busy with one message, each
  double latency = 1000;      ///< what a message takes beyond what its two ends are busy with
  double byte = 0.1;          ///< a byte that travels
  double node_share = 0.3;    ///< share of overhead and latency that a message within a node costs
  double receive_share = 0.5; ///< share of what both ends are busy with that the receiver has, less than 1

  /// By what overhead and latency are multiplied between such ranks.
  double share(pair_class c) const { return c == pair_class::other_node ? 1 : node_share; }
};

/// Trees and aggregation have to save a quarter of what they replace: estimates for irregular graphs are no
/// better than that.
inline constexpr double worth_it = 0.75;

/// "300,1000,0.1,0.3" or "300,1000,0.1,0.3,0.5": four or five numbers in their order, positive; nothing if that is not what it says.
std::optional<message_cost> parse_message_cost(std::string_view text);

/// Short messages of a measured model in short; `node_share` is 1.
message_cost cost_of(const machine_model& model);

/// A model in which messages of all sizes cost what the numbers say between such ranks, and nothing else has
/// a price.
machine_model model_of(const message_cost& cost, pair_class c);

} // namespace tacit::graphs
