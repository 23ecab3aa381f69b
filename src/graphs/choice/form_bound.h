// What an algorithm takes at least in place of the collectives of a plan, before it is made: its messages wait for each other in so many
// rounds, and each member sends and receives so many of them (form_shape.h).
#pragma once

#include "graphs/choice/form_shape.h"
#include "graphs/cost/driver_prices.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tacit::graphs {

class form_bound {
public:
  /// Refers to costs and process map; the driver must be one that has prices.
  form_bound(std::string_view driver, const machine_costs& costs, const process_map& where,
             std::uint32_t ranks);

  /// Nanoseconds; makespan() by the driver says no less. Says nothing, 0, of plans whose collectives differ: the algorithm may not exist
  /// for some. It must exist for one at least.
  double of(const std::vector<collective_shape>& all, algorithm form);

private:
  double least_round() const;
  double work_of_member(const collective_shape& s, algorithm form);
  double work_of_leader(const collective_shape& s);
  double within_node(double bytes);

  driver_prices prices_;
  std::uint32_t ranks_;
  std::vector<medium> media_;  ///< by which messages may travel
  bool all_crowded_ = true;    ///< nodes with several ranks
  double share_of_a_core_ = 1; ///< ranks of a node for each of its cores, at most; at least 1
};

} // namespace tacit::graphs
