// Graphs as affine runs. compile/… is their whole compilation: match, races, flow and detection in closed form, and the validation of the
// plan, which is the collective itself; with the peak memory per process, the graph included. steps/… makes the steps of one rank
// from them, as every rank does for itself. add/… is what recognising runs costs an operation when a program adds them one by one.
#include "graphs/affine/affine_steps.h"
#include "graphs/affine/compile_affine.h"
#include "graphs/generate/generate.h"
#include "heap.h"

#include <benchmark/benchmark.h>
#include <ctime>
#include <string>

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::bench;

namespace {

struct affine_case {
  pattern kind;
  std::uint32_t ranks;
};

constexpr affine_case cases[] = {
    {pattern::alltoall, 2'048},  {pattern::alltoall, 65'536}, {pattern::allgather, 2'048},
    {pattern::bcast, 300'000},   {pattern::scatter, 300'000}, {pattern::gather, 300'000},
    {pattern::bcast, 1'000'000},
};

affine_graph graph_of(const affine_case& c) {
  return generate_runs({.kind = c.kind, .ranks = c.ranks, .block = 64}).value();
}

void run_compile(benchmark::State& state, const affine_case& c) {
  const std::int64_t before = heap_bytes();
  const affine_graph g = graph_of(c);
  std::int64_t peak = 0;
  for (auto _ : state) {
    reset_heap_peak();
    const affine_compilation all = compile(g);
    peak = heap_peak() - before;
    if (!all.is_whole() || all.meaning.kind != c.kind)
      state.SkipWithError("the pattern was not found");
  }
  state.counters["bytes/process"] = static_cast<double>(peak) / c.ranks;
}

void run_steps(benchmark::State& state, const affine_case& c) {
  const affine_graph g = graph_of(c);
  const affine_compilation all = compile(g);
  const part_finding what = finding_of(all.meaning);
  for (auto _ : state)
    benchmark::DoNotOptimize(steps_of(g.ranks[0], what, "collectives"));
}

/// A loop that receives and sends, of rank 0.
void run_add(benchmark::State& state, std::uint32_t ranks) {
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    affine_list list(rank_id{0}, ranks);
    for (std::uint32_t q = 1; q < ranks; ++q) {
      list.add({op_kind::recv, world, 0, rank_id{q}, {0x1000'0000 + 64ull * q, 64}});
      list.add({op_kind::send, world, 0, rank_id{q}, {0x1000 + 64ull * q, 64}});
    }
    benchmark::DoNotOptimize(list.runs().data());
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  state.counters["ns/op"] = seconds * 1e9 / static_cast<double>(state.iterations()) / (2.0 * (ranks - 1));
}

} // namespace

int main(int argc, char** argv) {
  for (const affine_case& c : cases) {
    const std::string label = std::string(name(c.kind)) + "/linear-as-runs/" + std::to_string(c.ranks);
    benchmark::RegisterBenchmark(("compile/" + label).c_str(), run_compile, c)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("steps/" + label).c_str(), run_steps, c)->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("add/alltoall/linear-as-runs/2048", run_add, 2'048u)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
