// What a plan takes at least, from its messages alone: neither does it have to be played, nor even be there.
//
// However messages wait for each other, makespan.h has each rank's core do all sends and receives of the rank one after the
// other, has each of its wires carry one message at a time, and the cores of a node with more ranks than cores share the work of all its
// ranks. So no plan is faster than the busiest core or wire, or the work of such a node over its cores. Sums are taken in another order than there, hence a little less is said.
#pragma once

#include "graphs/cost/driver_prices.h"
#include "graphs/plan/plan.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tacit::graphs {

class least_makespan {
public:
  /// Refers to costs and process map; the driver must be one that has prices.
  least_makespan(std::string_view driver, const machine_costs& costs, const process_map& where,
                 std::uint32_t ranks);

  /// One message between two ranks, in one piece at both ends at least.
  void add_message(rank_id from, rank_id to, std::uint64_t bytes);
  /// All messages of a plan; its collectives are left out.
  void add(const plan& p);
  /// Nanoseconds; makespan() of any plan with these messages says no less.
  double value() const;

private:
  void add_work(std::uint32_t rank, double busy);

  driver_prices prices_;
  std::vector<double> work_, out_, in_; ///< by rank: of the core, and of both wires
  std::vector<double> work_of_node_;
  double most_ = 0;
};

/// Of a message from each rank to each other one, all alike, without adding them one by one: O(ranks).
double least_makespan_of_exchange(std::string_view driver, const machine_costs& costs,
                                  const process_map& where, std::uint32_t ranks, std::uint64_t bytes);

} // namespace tacit::graphs
