// What whole plans cost.
#include "graphs/cost/makespan.h"
#include "graphs/plan/plan_judge.h"

#include "graphs/choice/generated_form.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

plan of_pattern(pattern kind, algorithm form, std::uint32_t ranks, std::uint64_t block) {
  recipe r;
  r.kind = kind;
  r.ranks = ranks;
  r.block = block;
  diagnostics problems;
  const analyzed a = analyze_all(*generate(r, problems));
  return with_messages(a.g, make_plan(a.g, a.m, a.o, a.t, a.f), form);
}

placement apart(std::uint32_t ranks) {
  placement where;
  for (std::uint32_t r = 0; r < ranks; ++r)
    where.node.push_back(r);
  return where;
}

TEST(makespan, a_tree_is_cheaper_than_a_star_where_there_are_many_ranks) {
  const machine_costs costs;
  const auto price = [&](algorithm form, std::uint32_t ranks, std::uint64_t block) {
    return makespan(of_pattern(pattern::bcast, form, ranks, block), "p2p", costs, apart(ranks));
  };
  EXPECT_LT(price(algorithm::binomial, 64, 64) * 2, price(algorithm::linear, 64, 64));
  EXPECT_LE(price(algorithm::linear, 3, 64), price(algorithm::binomial, 3, 64));
  EXPECT_LT(price(algorithm::binomial, 64, 64), price(algorithm::ring, 64, 64));
  EXPECT_LT(price(algorithm::pipelined, 16, 1 << 22), price(algorithm::binomial, 16, 1 << 22));
}

TEST(makespan, few_messages_win_when_short_and_few_bytes_when_long) {
  const machine_costs costs;
  const auto price = [&](algorithm form, std::uint64_t block) {
    return makespan(of_pattern(pattern::alltoall, form, 32, block), "p2p", costs, apart(32));
  };
  EXPECT_LT(price(algorithm::bruck, 8), price(algorithm::linear, 8));
  EXPECT_GT(price(algorithm::bruck, 1 << 20), price(algorithm::linear, 1 << 20));
}

TEST(makespan, ranks_that_share_cores_share_their_time) {
  const machine_costs costs;
  const plan p = of_pattern(pattern::alltoall, algorithm::linear, 8, 1 << 16);
  placement roomy, crowded;
  roomy.cores = 8;
  crowded.cores = 2;
  roomy.longest_in_memory = crowded.longest_in_memory = 1 << 30;
  for (const char* driver : {"p2p", "shm"})
    EXPECT_GT(makespan(p, driver, costs, crowded), 2 * makespan(p, driver, costs, roomy)) << driver;
}

TEST(makespan, memory_is_the_way_of_short_messages_and_single_copies_that_of_long_ones) {
  const machine_costs costs;
  placement where;
  where.cores = 2;
  where.longest_in_memory = 1 << 30;
  const auto ratio = [&](std::uint64_t block) {
    const plan p = of_pattern(pattern::alltoall, algorithm::linear, 4, block);
    return makespan(p, "shm", costs, where) / makespan(p, "p2p", costs, where);
  };
  EXPECT_LT(ratio(4096), 0.9);
  EXPECT_GT(ratio(1 << 20), 1);
}

TEST(makespan, has_no_price_for_collectives_and_unknown_drivers) {
  recipe r;
  diagnostics problems;
  const analyzed a = analyze_all(*generate(r, problems));
  const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
  EXPECT_LT(makespan(whole, "p2p", machine_costs(), {}), 0);
  EXPECT_LT(makespan(with_messages(a.g, whole, algorithm::linear), "coll", machine_costs(), {}), 0);
  EXPECT_EQ(makespan(plan{}, "p2p", machine_costs(), {}), 0);
}

} // namespace
} // namespace tacit::test
