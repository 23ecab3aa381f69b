// What this machine does with work that has nothing to do with tacit: the denominators of bench/micro/thresholds.json.
// Sorting keys costs comparisons and cache, as matching does; following a permutation costs cache misses, as dataflow does.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace {

void report(benchmark::State& state, std::size_t things) {
  state.counters["ns/key"] =
      benchmark::Counter(static_cast<double>(things) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void sort_keys(benchmark::State& state) {
  std::mt19937_64 random(2012);
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(state.range(0)));
  std::ranges::generate(keys, random);
  std::vector<std::uint64_t> sorted;
  for (auto _ : state) {
    sorted = keys;
    std::ranges::sort(sorted);
    benchmark::DoNotOptimize(sorted.data());
  }
  report(state, keys.size());
}

/// One cycle through all places, so that no load can start before the one before it has ended.
void chase_pointers(benchmark::State& state) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(state.range(0))), next(order.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::shuffle(order, std::mt19937_64(2012));
  for (std::size_t i = 0; i < order.size(); ++i)
    next[order[i]] = order[(i + 1) % order.size()];
  for (auto _ : state) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < next.size(); ++i)
      at = next[at];
    benchmark::DoNotOptimize(at);
  }
  report(state, next.size());
}

} // namespace

BENCHMARK(sort_keys)->Name("calibration/sort")->Arg(1 << 20)->Unit(benchmark::kMillisecond);
BENCHMARK(chase_pointers)->Name("calibration/chase")->Arg(1 << 20)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
