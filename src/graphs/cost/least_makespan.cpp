#include "graphs/cost/least_makespan.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

/// Sums of doubles in different orders differ by far less.
constexpr double certainly = 1 - 1e-6;

} // namespace

least_makespan::least_makespan(std::string_view driver, const machine_costs& costs, const process_map& where,
                               std::uint32_t ranks)
    : prices_(driver, costs, where, ranks), work_(ranks, 0), out_(ranks, 0), in_(ranks, 0),
      work_of_node_(prices_.nodes().count(), 0) {}

void least_makespan::add_work(std::uint32_t rank, double busy) {
  work_of_node_[prices_.nodes().of(rank)] += busy;
  most_ = std::max(most_, work_[rank] += busy);
}

void least_makespan::add_message(rank_id from, rank_id to, std::uint64_t bytes) {
  const auto n = static_cast<double>(bytes);
  const medium by = prices_.medium_of(index(from), index(to), n);
  add_work(index(from), prices_.send(by, n, 1));
  add_work(index(to), prices_.receive(by, n, 1));
  if (by == medium::network) {
    most_ = std::max(most_, out_[index(from)] += prices_.gap(n));
    most_ = std::max(most_, in_[index(to)] += prices_.gap(n));
  }
}

void least_makespan::add(const plan& p) {
  for (std::uint32_t r = 0; r < p.ranks.size(); ++r)
    for (const step& s : p.ranks[r].steps) {
      if (s.kind != step_kind::send && s.kind != step_kind::recv)
        continue;
      const bool sends = s.kind == step_kind::send;
      const std::span<const segment> list = sends ? s.reads : s.writes;
      const auto n = static_cast<double>(total_length(list));
      const medium by = prices_.medium_of(r, index(s.peer), n);
      add_work(r, sends ? prices_.send(by, n, list.size()) : prices_.receive(by, n, list.size()));
      if (by == medium::network)
        most_ = std::max(most_, (sends ? out_ : in_)[r] += prices_.gap(n));
    }
}

double least_makespan::value() const {
  double most = most_;
  for (std::uint32_t n = 0; n < prices_.nodes().count(); ++n)
    if (prices_.nodes().crowded(n))
      most = std::max(most, work_of_node_[n] / prices_.nodes().cores());
  return most * certainly;
}

double least_makespan_of_exchange(std::string_view driver, const machine_costs& costs,
                                  const process_map& where, std::uint32_t ranks, std::uint64_t bytes) {
  driver_prices prices(driver, costs, where, ranks);
  const rank_nodes& nodes = prices.nodes();
  const auto n = static_cast<double>(bytes);
  const auto both_ends = [&](medium by) { return prices.send(by, n, 1) + prices.receive(by, n, 1); };
  const auto within_node = [&](medium by) { // of pairs that share a cache or do not, whichever takes less
    const double near = both_ends(medium_within_node(is_memory(by), false));
    return nodes.has_far_pairs() ? std::min(near, both_ends(medium_within_node(is_memory(by), true))) : near;
  };
  std::vector<bool> seen(nodes.count(), false);
  std::uint32_t last = 0; // some rank on another node than rank 0
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (nodes.of(r) != nodes.of(0))
      last = r;
  double most = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::uint32_t node = nodes.of(r), here = nodes.ranks_on(node);
    if (seen[node])
      continue;
    seen[node] = true;
    std::uint32_t neighbor = r + 1; // on the same node, if there is one
    while (here > 1 && nodes.of(neighbor) != node)
      ++neighbor;
    const double away = ranks - here;
    double work = (here - 1.0) * (here > 1 ? within_node(prices.medium_of(r, neighbor, n)) : 0);
    if (last != 0) {
      work += away * both_ends(medium::network);
      most = std::max(most, away * prices.gap(n));
    }
    most = std::max(most, work);
    if (nodes.crowded(node))
      most = std::max(most, here * work / nodes.cores());
  }
  return most * certainly;
}

} // namespace tacit::graphs
