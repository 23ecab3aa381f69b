// Following never holds more memory than its budget, whatever the graph: measured as malloc hands it out.
#include "graphs/flow/flow.h"
#include "heap.h"

#include <gtest/gtest.h>
#include <random>

using namespace tacit;
using namespace tacit::graphs;

namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};
constexpr std::int64_t slack = 32 << 10; ///< diagnostics, and what malloc rounds up

struct outcome {
  transfers moved;
  diagnostics problems;
  std::int64_t peak = 0; ///< bytes that following held at one time, the transfers included
};

outcome follow_within(const graph& g, std::uint64_t memory) {
  outcome out;
  const matching m = match(g, out.problems);
  const run_order o = order_operations(g, m, out.problems);
  EXPECT_FALSE(has_errors(out.problems));
  out.problems.clear();
  const std::int64_t before = bench::heap_bytes();
  bench::reset_heap_peak();
  out.moved = follow(g, m, o, out.problems, {.fragment_budget = unlimited, .memory_budget = memory});
  out.peak = bench::heap_peak() - before;
  return out;
}

/// Two ranks throw a buffer back and forth; the pieces double with every step.
graph doubling(std::uint32_t steps) {
  graph g(2);
  op_id last[2] = {no_op, no_op};
  std::uint64_t length = 1;
  for (std::uint32_t step = 0; step < steps; ++step, length *= 2) {
    const std::uint32_t from = step % 2, to = 1 - from;
    const segment twice[] = {{0, length}, {0, length}}, into[] = {{0, 2 * length}};
    const op_id out = g.send(rank_id{from}, twice, rank_id{to}),
                in = g.recv(rank_id{to}, into, rank_id{from});
    if (last[from] != no_op)
      g.depend(last[from], out);
    if (last[to] != no_op)
      g.depend(last[to], in);
    last[from] = out, last[to] = in;
  }
  return g;
}

/// Rank 0 writes `count` single bytes with gaps, in random order.
graph scattered(std::uint32_t count) {
  std::mt19937_64 random(11);
  std::vector<segment> to;
  for (std::uint32_t i = 0; i < count; ++i)
    to.push_back({2 * i, 1});
  std::shuffle(to.begin(), to.end(), random);
  graph g(2);
  const segment from{0, count};
  g.send(rank_id{1}, from, rank_id{0});
  g.recv(rank_id{0}, to, rank_id{1});
  return g;
}

/// Every rank ends with two fragments.
graph two_each(std::uint32_t ranks) {
  graph g(ranks);
  const segment from[] = {{0, 8}, {100, 8}}, to[] = {{200, 8}, {300, 8}};
  for (std::uint32_t r = 0; r < ranks; ++r)
    g.copy(rank_id{r}, from, to);
  return g;
}

/// All messages are sent before the first one is received.
graph parked(std::uint32_t messages) {
  graph g(2);
  const segment from[] = {{0, 1}, {2, 1}, {4, 1}};
  op_id last = no_op;
  for (std::uint32_t i = 0; i < messages; ++i)
    last = g.send(rank_id{0}, from, rank_id{1}, static_cast<std::int32_t>(i));
  const op_id all_sent = g.send(rank_id{0}, segment{0, 0}, rank_id{1}, 1 << 20);
  g.depend(last, all_sent);
  const op_id start = g.recv(rank_id{1}, segment{0, 0}, rank_id{0}, 1 << 20);
  for (std::uint32_t i = 0; i < messages; ++i)
    g.depend(start, g.recv(rank_id{1}, segment{100 + 3 * i, 3}, rank_id{0}, static_cast<std::int32_t>(i)));
  return g;
}

/// One operation whose results are unknown, in `count` pieces: nothing is moved, but much is held.
graph computed(std::uint32_t count) {
  std::vector<segment> to;
  for (std::uint32_t i = 0; i < count; ++i)
    to.push_back({2 * i, 1});
  graph g(1);
  g.opaque(rank_id{0}, {}, to);
  return g;
}

} // namespace

TEST(flow_budget, bounds_the_memory_that_following_holds) {
  const graph graphs[] = {doubling(18), scattered(100000), two_each(20000), parked(20000), computed(100000)};
  for (std::size_t which = 0; which < std::size(graphs); ++which) {
    SCOPED_TRACE("graph " + std::to_string(which));
    const graph& g = graphs[which];
    const outcome all = follow_within(g, unlimited);
    ASSERT_TRUE(all.moved.complete);
    EXPECT_GT(all.peak, 1 << 20);
    for (std::int64_t budget = 1 << 14; budget < 2 * all.peak; budget *= 2) {
      const outcome part = follow_within(g, static_cast<std::uint64_t>(budget));
      EXPECT_LE(part.peak, budget + slack);
      EXPECT_EQ(part.moved.complete, part.problems.empty());
      EXPECT_TRUE(part.moved.complete || budget <= all.peak + slack)
          << "gave up although " << all.peak << " B are enough";
      EXPECT_TRUE(!part.moved.complete || part.moved.list == all.moved.list);
    }
  }
}

TEST(flow_budget, a_fragment_takes_what_the_documentation_says) {
  const std::int64_t dense = follow_within(scattered(200000), unlimited).peak;
  EXPECT_LE(dense, 200000 * (80 + 32 + 64)); // held, its transfer, and its part of the message
  const std::int64_t sparse = follow_within(two_each(50000), unlimited).peak;
  EXPECT_LE(sparse, 50000 * (32 + 350 + 2 * 32));
}

TEST(flow_budget, exponential_graph_needs_no_option_to_stay_within_memory) {
  diagnostics problems;
  const graph g = doubling(50);
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  problems.clear();
  const std::int64_t before = bench::heap_bytes();
  bench::reset_heap_peak();
  const transfers t = follow(g, m, o, problems, {.memory_budget = 16 << 20});
  EXPECT_LE(bench::heap_peak() - before, (16 << 20) + slack);
  EXPECT_FALSE(t.complete);
  EXPECT_TRUE(t.list.empty());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].code, 8);
  EXPECT_EQ(problems[0].level, severity::warning);
  EXPECT_NE(problems[0].message.find("more than 16 MiB"), std::string::npos) << problems[0].message;
  EXPECT_NE(problems[0].remedy.find("TACIT_BUDGET"), std::string::npos) << problems[0].remedy;
  EXPECT_LE(flow_options{}.memory_budget, 4ull << 30) << "the default must fit into the machines of users";
}

TEST(flow_budget, is_read_with_and_without_unit) {
  flow_options o;
  EXPECT_TRUE(read_budget("4096", o));
  EXPECT_EQ(o.fragment_budget, 4096u);
  EXPECT_EQ(o.memory_budget, flow_options{}.memory_budget);
  const std::pair<const char*, std::uint64_t> amounts[] = {
      {"7B", 7}, {"3k", 3u << 10}, {"512MiB", 512u << 20}, {"2 GB", 2ull << 30}, {"1T", 1ull << 40}};
  for (const auto& [text, bytes] : amounts) {
    EXPECT_TRUE(read_budget(text, o)) << text;
    EXPECT_EQ(o.memory_budget, bytes) << text;
  }
  EXPECT_EQ(o.fragment_budget, 4096u);
  const flow_options before = o;
  for (const char* wrong : {"", "0", "0MiB", "-1", "x", "1 ", "1  M", "1X", "1iB", "1MiBs", "1.5G",
                            "99999999999999999999", "99999999999T"})
    EXPECT_FALSE(read_budget(wrong, o)) << wrong;
  EXPECT_EQ(o.fragment_budget, before.fragment_budget);
  EXPECT_EQ(o.memory_budget, before.memory_budget);
}
