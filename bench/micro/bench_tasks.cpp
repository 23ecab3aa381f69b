// What planning costs a task on one of n simulated ranks, by the patterns of the CPD paper's Table 3: it must not grow with n
// where layouts are symbolic. Time of an iteration is the time of a task; horizons and epochs of the program are in it.
#include "heap.h"
#include "tasks/commands/planner.h"

#include <benchmark/benchmark.h>

namespace {

using namespace tacit::tasks;
using tacit::vocabulary::rank_id;

constexpr coordinate side = 1 << 17; ///< rows of each buffer: more than ranks

struct pattern_program {
  mapper writes[2], reads[2];
  split_rule split[2] = {split_rule::one_dim, split_rule::one_dim};
  bool two_dims = false, weighted = false;
};

/// Two buffers; task i writes buffer i % 2 after reading the other one.
task task_of(const pattern_program& p, int i, std::uint32_t ranks) {
  task t;
  t.shape.dims = p.two_dims ? 2 : 1;
  t.shape.global = box_of(range{{side, p.two_dims ? side : 1, 1}});
  t.shape.split = p.split[i];
  if (p.weighted) {
    std::vector<std::uint32_t> weights;
    for (std::uint32_t r = 0; r < ranks; ++r)
      weights.push_back(1 + r % 3);
    t.shape.weights = std::move(weights);
  }
  t.accesses.push_back({buffer_id{static_cast<std::uint32_t>(1 - i)}, access_mode::read, p.reads[i]});
  t.accesses.push_back({buffer_id{static_cast<std::uint32_t>(i)}, access_mode::discard_write, p.writes[i]});
  return t;
}

void plan_in_loop(benchmark::State& state, const pattern_program& p, bool discover, bool replays) {
  planner_options options;
  options.replay = replays;
  options.ranks = static_cast<std::uint32_t>(state.range(0));
  options.me = rank_id{options.ranks / 2};
  options.discover = discover;
  planner planned(options);
  const range extent{{side, p.two_dims ? side : 1, 1}};
  for (int b = 0; b < 2; ++b)
    planned.create_buffer({"", p.two_dims ? 2 : 1, extent, 8, true});
  const task tasks[2] = {task_of(p, 0, options.ranks), task_of(p, 1, options.ranks)};
  std::size_t commands = 0, n = 0;
  const std::int64_t before = tacit::bench::heap_bytes();
  for (auto _ : state) {
    planned.submit(tasks[n++ % 2]);
    commands += planned.take().size();
  }
  state.counters["commands_per_task"] = static_cast<double>(commands) / static_cast<double>(n);
  state.counters["heap_bytes"] = static_cast<double>(tacit::bench::heap_bytes() - before);
}

/// Each window anew, as for programs that are no loops.
void plan(benchmark::State& state, const pattern_program& p, bool discover) {
  plan_in_loop(state, p, discover, false);
}
/// As the runtime does.
void replay(benchmark::State& state, const pattern_program& p) {
  plan_in_loop(state, p, true, true);
}

pattern_program both(mapper writes, mapper reads) {
  return {{writes, writes}, {reads, reads}};
}

pattern_program to_one_and_back(mapper one_writes, mapper all_read) {
  return {{one_to_one(), std::move(one_writes)},
          {std::move(all_read), all()},
          {split_rule::one_dim, split_rule::none}};
}

pattern_program weighted(pattern_program p) {
  p.weighted = true;
  return p;
}

pattern_program alltoall() {
  pattern_program p = both(one_to_one(), transposed({1, 0, 2}));
  p.two_dims = true;
  return p;
}

void ranks(benchmark::internal::Benchmark* b) {
  for (const int n : {1, 4, 64, 256, 4096, 65536})
    b->Arg(n);
}
void few_ranks(benchmark::internal::Benchmark* b) {
  for (const int n : {1, 4, 64, 256})
    b->Arg(n);
}

} // namespace

BENCHMARK_CAPTURE(plan, one_to_one, both(one_to_one(), one_to_one()), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, stencil, both(one_to_one(), neighborhood({1, 0, 0})), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, allgather, both(one_to_one(), all()), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, alltoall, alltoall(), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, gather_scatter, to_one_and_back(all(), one_to_one()), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, gather_broadcast, to_one_and_back(all(), all()), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, weighted_allgather, weighted(both(one_to_one(), all())), true)->Apply(ranks);
BENCHMARK_CAPTURE(plan, weighted_stencil, weighted(both(one_to_one(), neighborhood({1, 0, 0}))), true)
    ->Apply(ranks);
BENCHMARK_CAPTURE(plan, one_to_one_by_messages, both(one_to_one(), one_to_one()), false)->Apply(ranks);
BENCHMARK_CAPTURE(plan, stencil_by_messages, both(one_to_one(), neighborhood({1, 0, 0})), false)
    ->Apply(ranks);
BENCHMARK_CAPTURE(plan, allgather_by_messages, both(one_to_one(), all()), false)->Apply(few_ranks);
BENCHMARK_CAPTURE(plan, alltoall_by_messages, alltoall(), false)->Apply(few_ranks);
BENCHMARK_CAPTURE(plan, gather_scatter_by_messages, to_one_and_back(all(), one_to_one()), false)
    ->Apply(few_ranks);
BENCHMARK_CAPTURE(plan, gather_broadcast_by_messages, to_one_and_back(all(), all()), false)->Apply(few_ranks);
BENCHMARK_CAPTURE(replay, one_to_one, both(one_to_one(), one_to_one()))->Apply(ranks);
BENCHMARK_CAPTURE(replay, stencil, both(one_to_one(), neighborhood({1, 0, 0})))->Apply(ranks);
BENCHMARK_CAPTURE(replay, allgather, both(one_to_one(), all()))->Apply(ranks);
BENCHMARK_CAPTURE(replay, alltoall, alltoall())->Apply(ranks);
BENCHMARK_CAPTURE(replay, weighted_allgather, weighted(both(one_to_one(), all())))->Apply(ranks);

BENCHMARK_MAIN();
