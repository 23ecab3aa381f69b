#include "graphs/choice/large_exchange.h"

#include "graphs/choice/finalists.h"
#include "graphs/choice/tried_algorithms.h"
#include "graphs/cost/least_makespan.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace tacit::graphs {

std::optional<choice> choose_large_exchange(pattern kind, std::uint32_t ranks, std::uint64_t bytes,
                                            const choice_request& wanted, double beyond) {
  const signature moves = row_of(kind).moves;
  const bool each = moves == signature::each_to_each || moves == signature::each_to_all;
  if (!each || static_cast<double>(ranks) * ranks <= beyond || wanted.most != 1 || !wanted.driver.empty() ||
      !wanted.plan.empty() || wanted.replace_always)
    return std::nullopt;
  const std::size_t steps = 2 * (ranks - std::size_t{1});
  choice out;
  out.plans.push_back({std::string(written_name), {}});
  const auto add = [&](std::string_view plan, std::string_view driver, double price) {
    out.compared.push_back({std::string(plan), std::string(driver), price, true});
  };
  const auto messages = [&](std::string_view driver) {
    return least_makespan_of_exchange(driver, wanted.costs, wanted.where, ranks, bytes);
  };
  const double by_mpi = messages("p2p");
  if (wanted.where.longest_in_memory > 0)
    add(written_name, "shm", messages("shm"));
  add(written_name, "p2p", by_mpi);
  for (const bool started : {false, true})
    if (!started || wanted.persistent)
      add("collectives", started ? "pcoll" : "coll",
          by_mpi + beyond_messages_of_mpi({.all = 1, .combining = 0}, steps, started));
  std::stable_sort(
      out.compared.begin(), out.compared.end(),
      [](const priced_variant& a, const priced_variant& b) { return a.predicted < b.predicted; });
  // MPI's messages are not dearer than its collective, which needs them and more: the first one is the graph as written.
  const auto steps_of = [&](std::size_t i) {
    return out.compared[i].plan == written_name ? steps : std::size_t{1};
  };
  for (const std::size_t i :
       finalists_among(out.compared, wanted, [](std::size_t) { return true; }, steps_of)) {
    const priced_variant& w = out.compared[i];
    const bool written = w.plan == written_name;
    if (!written && out.plans.size() < 2)
      out.plans.push_back({w.plan, {}});
    out.variants.push_back({written ? std::size_t{0} : 1, w.driver, w.predicted});
  }
  out.crowded = has_crowded_node(wanted.where, ranks);
  return out;
}

std::optional<choice> choose_large_exchange(pattern kind, std::uint32_t ranks, std::uint64_t bytes,
                                            const choice_request& wanted) {
  return choose_large_exchange(kind, ranks, bytes, wanted, most_blocks);
}

} // namespace tacit::graphs
