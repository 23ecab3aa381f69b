#include "graphs/choice/finalists.h"

#include "graphs/cost/driver_prices.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

/// In ns. What takes less is mostly MPI's and our own work on short messages, which models tell well, and would have to gain what the
/// communicators of finalists cost; long messages depend on caches and on who shares cores, which no model knows.
constexpr double worth_measuring = 5'000;
constexpr std::size_t most_with_many_steps = 4;
/// Of what the first one is predicted to take. Through memory a run is at times several times faster or slower than predicted, by who
/// shares cores.
constexpr double finalist_within = 2, finalist_through_memory_within = 4;
/// Which algorithm is best there depends on that, too.
constexpr std::size_t most_through_memory = 3;
/// No model is wrong by so much, and each run of what is so slow would cost that of as many others.
constexpr double written_within = 10;
/// Of a rank. A channel for each message takes memory as long as the schedule lives, and thousands of messages that are under way at
/// once take MPI a hundred times as long as any model says, since it searches them one by one.
constexpr std::size_t most_steps_beside_the_first = 512, few_steps = 64;

bool is_as_written_by_messages(const priced_variant& w) {
  return w.driver == "p2p" && w.plan == written_name;
}

} // namespace

bool has_crowded_node(const process_map& where, std::uint32_t ranks) {
  const rank_nodes nodes(where, ranks);
  for (std::uint32_t node = 0; node < nodes.count(); ++node)
    if (nodes.crowded(node))
      return true;
  return false;
}

std::vector<std::size_t> finalists_among(const std::vector<priced_variant>& cheapest_first,
                                         const choice_request& wanted,
                                         function_ref<bool(std::size_t)> may_be_taken,
                                         function_ref<std::size_t(std::size_t)> steps) {
  std::vector<std::size_t> out;
  const auto is_new = [&](std::size_t i) { return std::find(out.begin(), out.end(), i) == out.end(); };
  const auto is_light = [&](std::size_t i) {
    return out.empty() ||
           steps(i) <= (out.size() < most_with_many_steps ? most_steps_beside_the_first : few_steps);
  };
  const auto add_first = [&](auto&& counts) {
    for (std::size_t i = 0; i < cheapest_first.size() && out.size() < most_finalists; ++i) {
      if (!counts(cheapest_first[i]) || !may_be_taken(i))
        continue;
      if (is_new(i) && is_light(i))
        out.push_back(i);
      return;
    }
  };
  add_first([](const priced_variant&) { return true; });
  const auto written = std::find_if(cheapest_first.begin(), cheapest_first.end(), is_as_written_by_messages);
  // By the price of the graph as written, which does not depend on what is taken.
  if (out.empty() || !wanted.finalists || !wanted.driver.empty() || !wanted.plan.empty() ||
      wanted.replace_always || written == cheapest_first.end() || written->predicted < worth_measuring)
    return out;
  const double least = cheapest_first[out.front()].predicted;
  const auto costs_at_most = [&](const priced_variant& w, double times) {
    return w.predicted >= 0 && w.predicted <= times * least;
  };
  add_first([&](const priced_variant& w) {
    return is_as_written_by_messages(w) && costs_at_most(w, written_within);
  });
  std::size_t through_memory = 0;
  for (std::size_t i = 0; i < cheapest_first.size() && through_memory < most_through_memory; ++i) {
    const priced_variant& w = cheapest_first[i];
    if (w.driver != "shm" || !costs_at_most(w, finalist_through_memory_within) || !may_be_taken(i))
      continue;
    const bool cheapest = through_memory++ == 0;
    if (is_new(i) && is_light(i) && (cheapest || steps(i) <= few_steps))
      out.push_back(i);
  }
  for (std::size_t i = 0; i < cheapest_first.size() && out.size() < most_finalists; ++i)
    if (costs_at_most(cheapest_first[i], finalist_within) && is_new(i) && is_light(i) && may_be_taken(i))
      out.push_back(i);
  return out;
}

} // namespace tacit::graphs
