#include "graphs/cost/driver_prices.h"

#include <unordered_map>

namespace tacit::graphs {

driver_prices::driver_prices(std::string_view driver, const machine_costs& costs, const process_map& where,
                             std::uint32_t ranks)
    : by_puts_(driver == "rma"),
      shares_(driver == "shm" && where.longest_in_memory > 0 && !costs.within_node.memory.empty()),
      longest_in_memory_(static_cast<double>(where.longest_in_memory)), cores_(where.cores), node_(ranks, 0) {
  for (const medium by : {medium::memory, medium::node, medium::network}) {
    media_[number(by)].model = &costs.of(class_of(by));
    media_[number(by)].latency = latency_of(by);
  }
  find_nodes(where);
}

double driver_prices::latency_of(medium by) const {
  const machine_model& m = model(by);
  if (by == medium::memory)
    return line_latency(m);
  return by == medium::node && puts(by) ? put_at(m, 8) : m.latency();
}

void driver_prices::find_nodes(const process_map& where) {
  if (node_.empty())
    return;
  if (where.node.empty()) {
    ranks_on_.assign(1, static_cast<std::uint32_t>(node_.size()));
    return;
  }
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (std::uint32_t r = 0; r < node_.size(); ++r) {
    node_[r] = r > 0 && where.node[r] == where.node[r - 1]
                   ? node_[r - 1]
                   : numbers.emplace(where.node[r], static_cast<std::uint32_t>(numbers.size())).first->second;
    ranks_on_.resize(numbers.size(), 0);
    ++ranks_on_[node_[r]];
  }
}

} // namespace tacit::graphs
