// Detection on transfers of large patterns: time per transfer, and memory beyond the transfers themselves.
#include "graphs/detect/detect.h"
#include "heap.h"

#include <benchmark/benchmark.h>

namespace {

using namespace tacit;
using namespace tacit::graphs;

/// The transfers that a pattern leaves, written down directly: canonical order, blocks of 64 bytes or so.
transfers moved_by(pattern kind, std::uint32_t p) {
  constexpr std::uint64_t block = 128, output = 1ull << 40;
  const bool own_blocks = kind == pattern::alltoall || kind == pattern::alltoallv || kind == pattern::scatter;
  transfers t;
  const std::uint32_t sources = kind == pattern::bcast || kind == pattern::scatter ? 1 : p;
  const std::uint32_t destinations = kind == pattern::gather ? 1 : p;
  for (std::uint32_t j = 0; j < destinations; ++j)
    for (std::uint32_t i = 0; i < sources; ++i)
      if (i != j)
        t.list.push_back({output + i * block, own_blocks ? j * block : 0,
                          64 + (kind == pattern::alltoallv ? (i + j) % 2 * 8 : 0), rank_id{i}, rank_id{j}});
  return t;
}

void detect_pattern(benchmark::State& state, pattern kind) {
  const auto p = static_cast<std::uint32_t>(state.range(0));
  const graph g(p);
  const transfers t = moved_by(kind, p);
  for (auto _ : state) {
    findings f = detect(g, {}, {}, t);
    if (f.found.size() != 1 || f.found[0].kind != kind || !f.residual.empty())
      state.SkipWithError("not found");
    benchmark::DoNotOptimize(f);
  }
  const std::int64_t before = bench::heap_bytes();
  bench::reset_heap_peak();
  const findings f = detect(g, {}, {}, t);
  state.counters["peak_bytes_per_rank"] = static_cast<double>(bench::heap_peak() - before) / p;
  state.counters["ns_per_transfer"] =
      benchmark::Counter(static_cast<double>(t.list.size()) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

} // namespace

BENCHMARK_CAPTURE(detect_pattern, bcast, pattern::bcast)->Arg(300000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(detect_pattern, scatter, pattern::scatter)->Arg(300000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(detect_pattern, gather, pattern::gather)->Arg(300000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(detect_pattern, allgather, pattern::allgather)->Arg(2048)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(detect_pattern, alltoall, pattern::alltoall)->Arg(2048)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(detect_pattern, alltoallv, pattern::alltoallv)->Arg(2048)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
