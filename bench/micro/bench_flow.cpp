// Matching, run order, races, dataflow and wait sets: nanoseconds per operation and per fragment, and for
// match, order and follow in a row the peak memory per process, graph included.
#include "cases.h"

#include "graphs/flow/flow.h"
#include "graphs/match/match.h"

#include <benchmark/benchmark.h>
#include <ctime>

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::bench;

namespace {

/// CPU time of the loop, so that counters can be given in nanoseconds.
class stopwatch {
public:
  explicit stopwatch(benchmark::State& state) : state_(state), start_(std::clock()) {}
  /// Call after the loop: nanoseconds an iteration for each of `count` things.
  void report(const char* counter, std::uint64_t count) {
    const double seconds = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    state_.counters[counter] =
        seconds * 1e9 / static_cast<double>(state_.iterations()) / static_cast<double>(count);
  }

private:
  benchmark::State& state_;
  std::clock_t start_;
};

void run_match(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  stopwatch watch(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(match(g, problems).partner.data());
  watch.report("ns/op", g.size());
}

void run_order_operations(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  stopwatch watch(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(order_operations(g, m, problems).order.data());
  watch.report("ns/op", g.size());
}

void run_races(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  stopwatch watch(state);
  for (auto _ : state)
    check_races(g, m, o, problems);
  if (!problems.empty())
    state.SkipWithError(problems.front().message.c_str());
  watch.report("ns/op", g.size());
}

void run_rendezvous(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  stopwatch watch(state);
  for (auto _ : state)
    check_rendezvous(g, m, o, problems);
  watch.report("ns/op", g.size());
}

void run_follow(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  std::uint64_t fragments = 0;
  stopwatch watch(state);
  for (auto _ : state)
    fragments = follow(g, m, o, problems).fragments;
  watch.report("ns/op", g.size());
  if (fragments > 0)
    watch.report("ns/fragment", fragments);
  state.counters["fragments"] = static_cast<double>(fragments);
}

void run_wait_sets(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  stopwatch watch(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(wait_sets_complete(g, m, o, g.communicators()[0].members, sync_paths::all));
  watch.report("ns/op", g.size());
}

void run_row(benchmark::State& state, const graph_case& c) {
  std::int64_t graph_bytes = 0;
  const graph& g = graph_of(c, &graph_bytes);
  const std::int64_t before = heap_bytes();
  std::int64_t peak = 0;
  stopwatch watch(state);
  for (auto _ : state) {
    reset_heap_peak();
    diagnostics problems;
    const matching m = match(g, problems);
    const run_order o = order_operations(g, m, problems);
    benchmark::DoNotOptimize(follow(g, m, o, problems).list.data());
    peak = heap_peak() - before;
  }
  watch.report("ns/op", g.size());
  state.counters["bytes/process"] = static_cast<double>(graph_bytes + peak) / g.ranks();
}

void add(const char* pass, void (*function)(benchmark::State&, const graph_case&), const graph_case& c) {
  benchmark::RegisterBenchmark((std::string(pass) + "/" + label(c)).c_str(), function, c)
      ->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char** argv) {
  for (const graph_case& c : cases) { // by graph: each is made once
    add("match", run_match, c);
    add("order", run_order_operations, c);
    add("follow", run_follow, c);
    add("match+order+follow", run_row, c);
    add("races", run_races, c);
    add("rendezvous", run_rendezvous, c);
    add("wait_sets_complete", run_wait_sets, c);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
