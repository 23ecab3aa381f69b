// What the passes over neighborhood collectives cost the rank that runs them, without the messages by which
// the ranks tell each other what they need to know.
#include "neighbors/passes/aggregate.h"
#include "neighbors/passes/color.h"
#include "neighbors/passes/neighbor.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <random>

namespace {

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::neighbors;

/// Every rank sends 16 bytes to `degree` random others.
struct sparse_case {
  sparse_case(std::uint32_t ranks, std::uint32_t degree) {
    std::mt19937_64 random(2012);
    std::vector<std::vector<rank_id>> out(ranks), in(ranks);
    for (std::uint32_t from = 0; from < ranks; ++from)
      for (std::uint32_t k = 0; k < degree; ++k) {
        const auto to = static_cast<std::uint32_t>((from + 1 + random() % (ranks - 1)) % ranks);
        out[from].push_back(rank_id{to});
        in[to].push_back(rank_id{from});
      }
    const auto blocks_at = [](std::uint64_t start, std::size_t n) {
      std::vector<std::vector<segment>> list;
      for (std::size_t i = 0; i < n; ++i)
        list.push_back({{start + 16 * i, 16}});
      return list;
    };
    for (std::uint32_t r = 0; r < ranks; ++r) {
      all.push_back(graph_neighborhood(in[r], {}, out[r], {}));
      blocks.push_back({blocks_at(1000, out[r].size()), blocks_at(1000000, in[r].size())});
      plans.push_back(plan_neighbor(all[r], rank_id{r}, blocks[r], listed_rounds(all[r]), {}, true));
    }
  }
  std::vector<neighborhood> all;
  std::vector<neighbor_blocks> blocks;
  std::vector<rank_plan> plans;
};

/// All that rank 0 does: what it tells its node, the three steps, and the comparison with direct messages.
void aggregate_pass(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0)),
             per_node = static_cast<std::uint32_t>(state.range(1));
  const sparse_case c(ranks, 24);
  std::vector<std::uint64_t> identity;
  for (std::uint32_t r = 0; r < ranks; ++r)
    identity.push_back(r / per_node);
  const node_map nodes = map_of_nodes(identity);
  const message_cost cost;
  std::vector<std::vector<std::uint64_t>> words;
  for (const rank_id m : nodes.members[0])
    words.push_back(aggregation_words(nodes, m, c.plans[index(m)], 3000));
  for (auto _ : state) {
    const node_map map = map_of_nodes(identity);
    words[0] = aggregation_words(map, rank_id{0}, c.plans[0], 3000);
    const rank_plan made = aggregated(c.plans[0], map, rank_id{0}, words, 5, 3000);
    double busy = busy_time(made, map, rank_id{0}, cost) + busy_time(c.plans[0], map, rank_id{0}, cost);
    benchmark::DoNotOptimize(busy);
  }
  state.counters["messages"] = static_cast<double>(c.plans[0].steps.size());
}
BENCHMARK(aggregate_pass)
    ->Name("neighbor/aggregate")
    ->Args({32, 8})
    ->Args({512, 32})
    ->Unit(benchmark::kMicrosecond);

/// The coloring and its comparison with the program's order: once per communicator, on every rank.
void color_pass(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const sparse_case c(ranks, static_cast<std::uint32_t>(state.range(1)));
  std::vector<arc> arcs;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (const std::uint32_t to : ranks_sent_to(c.all[r], rank_id{r}))
      arcs.push_back({rank_id{r}, rank_id{to}});
  std::uint32_t colors = 0;
  for (auto _ : state) {
    const arc_coloring coloring = color_arcs(arcs, ranks);
    bool pays = coloring_pays(arcs, coloring, ranks);
    benchmark::DoNotOptimize(pays);
    colors = coloring.colors;
  }
  state.counters["pairs"] = static_cast<double>(arcs.size());
  state.counters["colors"] = colors;
}
BENCHMARK(color_pass)
    ->Name("neighbor/color")
    ->Args({32, 24})
    ->Args({512, 24})
    ->Args({1024, 30})
    ->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
