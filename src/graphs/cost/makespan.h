// What a whole plan costs: the time from the start of all ranks to the end of the last one, by playing it with the prices of
// messages (message_price.h).
//
// price.h weighs what one rank moves, which is all that a rank knows of a neighborhood. Where somebody has the plans of all ranks
// a message can be followed to where it is waited for, so that a tree is told from a star and a chain from a tree.
#pragma once

#include "graphs/cost/machine_costs.h"
#include "graphs/plan/plan.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// Where the ranks of a plan run.
struct process_map {
  std::vector<std::uint64_t> node;     ///< of each rank; empty: all on one
  std::uint32_t cores = 1;             ///< of each node
  std::uint64_t longest_in_memory = 0; ///< bytes of messages that may go through shared memory within a node
  std::vector<std::uint64_t> cache;    ///< of each rank's core, 0 if it is not known; empty: of none

  bool same_node(rank_id a, rank_id b) const { return node.empty() || node[index(a)] == node[index(b)]; }
};

/// Whether the driver has prices.
bool has_makespan(std::string_view driver, const machine_costs& costs);

/// Nanoseconds; negative: no price, because the driver has none, or there are collectives in the plan. Computations of the program
/// cost nothing: they are the same in all plans that are compared. Who does not mind what is more than `most` gets infinity for it,
/// as soon as that is certain. Cost O(steps log steps + dependencies).
double makespan(const plan& p, std::string_view driver, const machine_costs& costs, const process_map& where,
                double most = std::numeric_limits<double>::infinity());

} // namespace tacit::graphs
