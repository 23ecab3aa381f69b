#include "graphs/cost/driver_prices.h"

#include <algorithm>
#include <unordered_map>

namespace tacit::graphs {

rank_nodes::rank_nodes(const process_map& where, std::uint32_t ranks)
    : cores_(where.cores), node_(ranks, 0), cache_(where.cache) {
  if (where.node.empty() && ranks > 0)
    ranks_on_.assign(1, ranks);
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (std::uint32_t r = 0; r < ranks && !where.node.empty(); ++r) {
    node_[r] = r > 0 && where.node[r] == where.node[r - 1]
                   ? node_[r - 1]
                   : numbers.emplace(where.node[r], static_cast<std::uint32_t>(numbers.size())).first->second;
    ranks_on_.resize(numbers.size(), 0);
    ++ranks_on_[node_[r]];
  }
  for (std::uint32_t n = 0; n < count(); ++n)
    most_ranks_to_a_core_ = std::max(most_ranks_to_a_core_, ranks_to_a_core(n));
  std::vector<std::uint64_t> first(count(), 0); // known cache, by node
  for (std::uint32_t r = 0; r < ranks && !cache_.empty(); ++r) {
    std::uint64_t& seen = first[node_[r]];
    has_far_pairs_ = has_far_pairs_ || (seen != 0 && cache_[r] != 0 && cache_[r] != seen);
    seen = seen != 0 ? seen : cache_[r];
  }
}

driver_prices::driver_prices(std::string_view driver, const machine_costs& costs, const process_map& where,
                             std::uint32_t ranks)
    : by_puts_(driver == "rma"),
      shares_(driver == "shm" && where.longest_in_memory > 0 && !costs.within_node.memory.empty()),
      longest_in_memory_(static_cast<double>(where.longest_in_memory)), nodes_(where, ranks) {
  for (const medium by : all_media) {
    media_[number(by)].model = &costs.of(class_of(by));
    media_[number(by)].latency = latency_of(by);
  }
}

double driver_prices::latency_of(medium by) const {
  const machine_model& m = model(by);
  if (is_memory(by))
    return line_latency(m);
  return is_mpi_within_node(by) && puts(by) ? put_at(m, 8) : m.latency();
}

} // namespace tacit::graphs
