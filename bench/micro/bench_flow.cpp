// Matching, run order, races, dataflow and wait sets: nanoseconds per operation and per fragment, and for the
// chain match → order → follow the peak memory per process, graph included.
#include "cases.h"

#include "flow/flow.h"
#include "match/match.h"

#include <benchmark/benchmark.h>

using namespace tacit;
using namespace tacit::bench;

namespace {

void count_operations(benchmark::State& state, const graph& g) {
  state.counters["ns/op"] =
      benchmark::Counter(static_cast<double>(g.size()) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["ops"] = static_cast<double>(g.size());
}

void run_match(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  for (auto _ : state)
    benchmark::DoNotOptimize(match(g, problems).partner.data());
  count_operations(state, g);
}

void run_order_operations(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  for (auto _ : state)
    benchmark::DoNotOptimize(order_operations(g, m, problems).order.data());
  count_operations(state, g);
}

void run_races(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  for (auto _ : state)
    check_races(g, m, o, problems);
  if (!problems.empty())
    state.SkipWithError(problems.front().message.c_str());
  count_operations(state, g);
}

void run_rendezvous(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  for (auto _ : state)
    check_rendezvous(g, m, problems);
  count_operations(state, g);
}

void run_follow(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  std::uint64_t fragments = 0;
  for (auto _ : state)
    fragments = follow(g, m, o, problems).fragments;
  count_operations(state, g);
  state.counters["fragments"] = static_cast<double>(fragments);
  state.counters["ns/fragment"] =
      benchmark::Counter(static_cast<double>(fragments) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void run_wait_sets(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  for (auto _ : state)
    benchmark::DoNotOptimize(wait_sets_complete(g, m, o, g.communicators()[0].members, sync_paths::all));
  count_operations(state, g);
}

void run_chain(benchmark::State& state, const graph_case& c) {
  std::int64_t graph_bytes = 0;
  const graph& g = graph_of(c, &graph_bytes);
  const std::int64_t before = heap_bytes();
  std::int64_t peak = 0;
  for (auto _ : state) {
    reset_heap_peak();
    diagnostics problems;
    const matching m = match(g, problems);
    const run_order o = order_operations(g, m, problems);
    benchmark::DoNotOptimize(follow(g, m, o, problems).list.data());
    peak = heap_peak() - before;
  }
  count_operations(state, g);
  state.counters["bytes/process"] = static_cast<double>(graph_bytes + peak) / g.ranks();
}

void add(const char* pass, void (*function)(benchmark::State&, const graph_case&), const graph_case& c) {
  benchmark::RegisterBenchmark((std::string(pass) + "/" + label(c)).c_str(), function, c)
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.2);
}

} // namespace

int main(int argc, char** argv) {
  for (const graph_case& c : cases) { // by graph: each is made once
    add("match", run_match, c);
    add("order", run_order_operations, c);
    add("follow", run_follow, c);
    add("chain", run_chain, c);
    add("races", run_races, c);
    add("rendezvous", run_rendezvous, c);
    add("wait_sets_complete", run_wait_sets, c);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
