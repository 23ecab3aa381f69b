// The whole chain as the compiler runs it, nothing left out: compile/… is the pass list with its defaults
// (check, match, order, rendezvous, races, flow, detect, replace, validate), with the milliseconds of each
// pass and the peak memory per process, the graph included. The label says what was found and whether the
// plan is used. match+order+follow+detect/… are just these passes, and their peak.
#include "cases.h"

#include "graphs/compile/compile.h"
#include "graphs/detect/detect.h"
#include "graphs/flow/flow.h"
#include "graphs/match/match.h"

#include <benchmark/benchmark.h>
#include <ctime>
#include <map>

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::bench;

namespace {

std::string first_found(const findings& f) {
  return f.found.empty() ? "nothing" : std::string(name(f.found.front().kind));
}

void run_compile(benchmark::State& state, const graph_case& c) {
  std::int64_t graph_bytes = 0;
  const graph& g = graph_of(c, &graph_bytes);
  const std::int64_t before = heap_bytes();
  std::int64_t peak = 0;
  std::string outcome;
  std::map<std::string_view, double> seconds;
  for (auto _ : state) {
    reset_heap_peak();
    const compilation all = compile(g);
    peak = heap_peak() - before;
    for (const pass_time& pass : all.times)
      seconds[pass.name] += pass.seconds;
    if (has_errors(all.problems) || !is_expected(c, all.found))
      state.SkipWithError("the pattern was not found");
    outcome = first_found(all.found) + (all.schedule.as_written ? ", as written" : ", replaced");
  }
  state.SetLabel(outcome);
  for (const auto& [pass, time] : seconds)
    state.counters["ms/" + std::string(pass)] = time * 1e3 / static_cast<double>(state.iterations());
  state.counters["bytes/process"] = static_cast<double>(graph_bytes + peak) / g.ranks();
}

void run_analysis(benchmark::State& state, const graph_case& c) {
  std::int64_t graph_bytes = 0;
  const graph& g = graph_of(c, &graph_bytes);
  const std::int64_t before = heap_bytes();
  std::int64_t peak = 0;
  std::string found;
  for (auto _ : state) {
    reset_heap_peak();
    diagnostics problems;
    const matching m = match(g, problems);
    const run_order o = order_operations(g, m, problems);
    const transfers t = follow(g, m, o, problems);
    const findings f = detect(g, m, o, t);
    peak = heap_peak() - before;
    found = first_found(f);
    if (!is_expected(c, f))
      state.SkipWithError(("found " + found).c_str());
  }
  state.SetLabel(found);
  state.counters["bytes/process"] = static_cast<double>(graph_bytes + peak) / g.ranks();
}

void run_detect(benchmark::State& state, const graph_case& c) {
  const graph& g = graph_of(c);
  diagnostics problems;
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  const transfers t = follow(g, m, o, problems);
  const std::clock_t start = std::clock();
  for (auto _ : state)
    benchmark::DoNotOptimize(detect(g, m, o, t).found.data());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const bool moves = !t.list.empty(); // a barrier has no transfers
  state.counters[moves ? "ns/transfer" : "ns/op"] = seconds * 1e9 / static_cast<double>(state.iterations()) /
                                                    static_cast<double>(moves ? t.list.size() : g.size());
}

} // namespace

int main(int argc, char** argv) {
  for (const graph_case& c : cases) {
    benchmark::RegisterBenchmark(("detect/" + label(c)).c_str(), run_detect, c)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("match+order+follow+detect/" + label(c)).c_str(), run_analysis, c)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("compile/" + label(c)).c_str(), run_compile, c)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
