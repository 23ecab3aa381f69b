#include "graphs/cost/price.h"

#include "graphs/cost/message_price.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

constexpr std::uint64_t no_price = 0, free_of_charge = std::uint64_t{1} << 60;

/// Work of this rank's core, and time on the wire, which goes on beside it.
struct busy {
  double core = 0, wire = 0;
};

template <typename Is, typename Cost>
double sum(const std::vector<message_group>& groups, Is is, Cost cost) {
  double ns = 0;
  for (const message_group& g : groups)
    if (is(g))
      ns += static_cast<double>(g.count) * cost(static_cast<double>(g.bytes));
  return ns;
}

template <typename Is>
busy by_messages(const traffic& t, const machine_model& m, pair_class between, Is is) {
  busy b;
  b.core = sum(t.sends, is, [&](double n) { return handling + send_at(m, n); }) +
           sum(t.receives, is, [&](double n) { return handling + receive_at(m, n); });
  const auto gap = [&](double n) { return gap_at(m, n); };
  b.wire = sum(t.sends, is, gap);
  const auto packed = [&](const message_group& g) { return g.scattered && is(g); };
  const auto pack = [&](double n) { return packing(m, n); };
  const double packs = sum(t.sends, packed, pack) + sum(t.receives, packed, pack);
  // Within a node a wire is a core's work at each end, and what comes in does not travel beside.
  if (between != pair_class::other_node)
    b.wire += sum(t.receives, is, gap) + packs;
  else
    b.core += packs;
  return b;
}

template <typename Is>
double through_memory(const traffic& t, const machine_model& m, Is is) {
  return sum(t.sends, is, [&](double n) { return to_memory(m, n); }) +
         sum(t.receives, is, [&](double n) { return from_memory(m, n); });
}

template <typename Is>
double by_puts(const traffic& t, const machine_model& m, Is is) {
  return sum(t.sends, is, [&](double n) { return by_put(m, n); }) +
         sum(t.receives, is, [&](double n) { return handling + copy_at(m, n); });
}

bool has_prices(std::string_view driver, const machine_costs& costs) {
  return driver == "p2p" || driver == "shm" || (driver == "rma" && !costs.within_node.puts.empty());
}

double of_local_work(const traffic& t, const machine_costs& costs) {
  return static_cast<double>(t.copies) * handling + static_cast<double>(t.pieces) * piece_handling +
         (t.copies > 0 ? copy_at(costs.within_node, static_cast<double>(t.copied_bytes)) : 0);
}

} // namespace

double predicted(const traffic& t, std::string_view driver, const machine_costs& costs,
                 std::uint64_t longest_in_memory) {
  if (!t.has_price || !has_prices(driver, costs))
    return -1;
  const bool shares = driver == "shm" && longest_in_memory > 0 && !costs.within_node.memory.empty();
  const auto medium_of = [&](const message_group& g) {
    if (g.between == pair_class::other_node)
      return medium::network;
    return medium_within_node(shares && g.bytes <= longest_in_memory, g.between == pair_class::other_cache);
  };
  busy all{of_local_work(t, costs), 0};
  double latency = 0, both = 0;
  for (const medium by : all_media) {
    const machine_model& m = costs.of(class_of(by));
    const auto is = [&](const message_group& g) { return medium_of(g) == by; };
    if (std::none_of(t.sends.begin(), t.sends.end(), is) &&
        std::none_of(t.receives.begin(), t.receives.end(), is))
      continue;
    if (is_memory(by)) {
      all.core += through_memory(t, m, is);
      latency = std::max(latency, line_latency(m));
    } else if (driver == "rma" && !m.puts.empty()) {
      all.core += by_puts(t, m, is);
      latency = std::max(latency, put_at(m, 8));
    } else {
      const busy b = by_messages(t, m, class_of(by), is);
      all.core += b.core;
      both = driver == "shm" ? asking_both : 0;
      all.wire += b.wire;
      latency = std::max(latency, m.latency());
    }
  }
  const double work = t.rounds > 1 ? all.core + all.wire : std::max(all.core, all.wire);
  return static_cast<double>(t.rounds) * latency + work + both;
}

double predicted(const plan& p, std::string_view driver, const machine_costs& costs,
                 const std::function<pair_class(rank_id, rank_id)>& class_of,
                 std::uint64_t longest_in_memory) {
  double slowest = 0;
  for (std::uint32_t r = 0; r < p.ranks.size(); ++r) {
    const auto to = [&](rank_id peer) { return class_of(rank_id{r}, peer); };
    const double ns = predicted(traffic_of(p.ranks[r], to), driver, costs, longest_in_memory);
    if (ns < 0)
      return -1;
    slowest = std::max(slowest, ns);
  }
  return slowest;
}

std::uint64_t word_of_price(double ns) {
  if (!(ns >= 0))
    return no_price;
  return free_of_charge - static_cast<std::uint64_t>(std::min(ns * 10, 1e17));
}

double price_of_word(std::uint64_t word) {
  return word == no_price ? -1 : static_cast<double>(free_of_charge - word) / 10;
}

} // namespace tacit::graphs
