// The plans of all ranks are executed in one process by an obvious interpreter, in a random order that their
// dependencies allow, and every byte is compared with what the collective means.
#include "graphs/cost/message_cost.h"
#include "neighbor_machine.h"
#include "neighbors/passes/combine.h"
#include "neighbors/passes/neighbor.h"
#include "random_case.h"
#include "vocabulary/calls/settings.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace tacit::test {

using namespace neighbors;
namespace {

std::vector<graphs::rank_plan> plans_of(const random_case& c, const neighbor_passes& passes,
                                        bool sizes_known) {
  std::vector<graphs::rank_plan> plans;
  for (std::uint32_t r = 0; r < c.size; ++r)
    plans.push_back(plan_neighbor(c.all[r], rank_id{r}, c.blocks[r],
                                  rotated_rounds(c.all[r], rank_id{r}, c.size), passes, sizes_known));
  return plans;
}

neighbor_passes passes_of(std::uint32_t bits) {
  neighbor_passes p;
  p.self = bits & 1;
  p.coalesce = bits & 2;
  p.order = bits & 4;
  p.empty = bits & 8;
  return p;
}

TEST(neighbor_passes, are_those_that_the_table_of_settings_names) {
  neighbor_passes passes;
  for (const std::string_view name : words_of(row_of(setting::neighbor_without)))
    EXPECT_EQ(leave_out(passes, name), "");
  EXPECT_EQ(word_of(passes), 0u) << "the table does not name every pass";
}

TEST(neighbor, plans_mean_the_collective_with_every_set_of_passes) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    random_case c(seed);
    c.make_blocks(seed % 3 == 0);
    const std::uint32_t bits = c.below(2) ? 15 : c.below(16);
    const bool known = c.below(2) == 0;
    const std::string fault = first_wrong_byte(c.all, c.blocks, plans_of(c, passes_of(bits), known), seed);
    ASSERT_EQ(fault, "") << "seed " << seed << ", passes " << bits << (known ? ", sizes known" : "");
  }
}

TEST(neighbor, the_interpreter_notices_wrong_plans) {
  int noticed = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    random_case c(seed);
    c.make_blocks(false);
    auto plans = plans_of(c, {}, false);
    auto& steps = plans[c.below(c.size)].steps;
    std::vector<std::size_t> with_bytes;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (steps[i].kind != graphs::step_kind::send && graphs::total_length(steps[i].writes) > 0)
        with_bytes.push_back(i);
    if (with_bytes.empty())
      continue;
    ++tried;
    graphs::step& s = steps[with_bytes[c.below(with_bytes.size())]];
    s.writes.back().address += 1;
    noticed += first_wrong_byte(c.all, c.blocks, plans, seed).empty() ? 0 : 1;
  }
  EXPECT_GT(tried, 100);
  EXPECT_EQ(noticed, tried);
}

TEST(neighbor, one_message_per_peer_also_if_empty) {
  const grid_shape torus{{2, 2}, {true, true}};
  const auto n = cartesian_neighborhood(torus, rank_id{0});
  const neighbor_blocks none{std::vector<std::vector<graphs::segment>>(4),
                             std::vector<std::vector<graphs::segment>>(4)};
  const auto rounds = rotated_rounds(n, rank_id{0}, 4);
  EXPECT_EQ(plan_neighbor(n, rank_id{0}, none, rounds, {}, false).steps.size(), 4u) << "2 peers, in and out";
  EXPECT_EQ(plan_neighbor(n, rank_id{0}, none, rounds, {}, true).steps.size(), 0u) << "both ends know";
  neighbor_passes apart;
  apart.coalesce = false;
  EXPECT_EQ(plan_neighbor(n, rank_id{0}, none, rounds, apart, false).steps.size(), 8u) << "one per edge";
}

TEST(neighbor, blocks_of_one_peer_that_lie_side_by_side_become_one_piece) {
  const auto n = cartesian_neighborhood({{2}, {true}}, rank_id{0});
  const neighbor_blocks b{{{{100, 8}}, {{108, 8}}}, {{{200, 8}}, {{208, 8}}}};
  const auto plan = plan_neighbor(n, rank_id{0}, b, rotated_rounds(n, rank_id{0}, 2), {}, false);
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].kind, graphs::step_kind::recv);
  EXPECT_EQ(plan.steps[0].writes, (std::vector<graphs::segment>{{208, 8}, {200, 8}}))
      << "crossed, Example 8.10";
  EXPECT_EQ(plan.steps[1].reads, (std::vector<graphs::segment>{{100, 16}}));
}

TEST(neighbor, rounds_of_a_complete_graph_have_one_partner_each) {
  const std::uint32_t p = 7;
  for (std::uint32_t r = 0; r < p; ++r) {
    std::vector<rank_id> others;
    for (std::uint32_t o = 0; o < p; ++o)
      if (o != r)
        others.push_back(rank_id{o});
    const auto n = graph_neighborhood(others, {}, others, {});
    neighbor_blocks none{std::vector<std::vector<graphs::segment>>(p - 1),
                         std::vector<std::vector<graphs::segment>>(p - 1)};
    const auto plan = plan_neighbor(n, rank_id{r}, none, rotated_rounds(n, rank_id{r}, p), {}, false);
    for (std::uint32_t k = 0; k < p - 1; ++k) {
      EXPECT_EQ(plan.steps[k].peer, rank_id{(r + p - k - 1) % p});
      EXPECT_EQ(plan.steps[p - 1 + k].peer, rank_id{(r + k + 1) % p});
    }
  }
}

TEST(neighbor, passes_are_left_out_by_name) {
  neighbor_passes p;
  EXPECT_EQ(leave_out(p, "coalesce,order"), "");
  EXPECT_TRUE(p.self && p.empty);
  EXPECT_FALSE(p.coalesce || p.order);
  EXPECT_EQ(leave_out(p, "self,colour"), "colour");
  EXPECT_EQ(leave_out(p, ""), "");
}

TEST(neighbor, costs_are_four_positive_numbers) {
  const auto cost = graphs::parse_message_cost("100,2e3,0.5,1");
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->overhead, 100);
  EXPECT_EQ(cost->latency, 2000);
  EXPECT_EQ(cost->byte, 0.5);
  EXPECT_EQ(cost->node_share, 1);
  for (const char* wrong : {"", "1", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "1,2,3,0", "1,2,,4", "a,2,3,4",
                            "1,2,3,4 ", "nan,1,1,1", "1,inf,1,1"})
    EXPECT_FALSE(graphs::parse_message_cost(wrong).has_value()) << wrong;
}

TEST(neighbor, own_edges_of_unequal_size_are_found) {
  const auto n = cartesian_neighborhood({{1}, {true}}, rank_id{0});
  const neighbor_blocks b{{{{100, 8}}, {{108, 8}}}, {{{200, 8}}, {{208, 4}}}};
  EXPECT_NE(own_mismatch(n, rank_id{0}, b)
                .find("outgoing edge 0 leads to its own incoming edge 1, but 8 B are sent"),
            std::string::npos)
      << own_mismatch(n, rank_id{0}, b);
}

/// A stencil on a torus with blocks of one size; `same`: as allgather has them.
struct torus_case {
  topology t;
  std::uint32_t size = 1;
  std::vector<neighborhood> all;
  std::vector<neighbor_blocks> blocks;

  torus_case(std::uint64_t seed, bool same) {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    t.what = topology::kind::stencil;
    for (int d = 1 + below(3); d > 0; --d) {
      t.shape.dims.push_back(1 + below(4));
      t.shape.periodic.push_back(true);
    }
    t.offsets.assign(static_cast<std::size_t>(below(30)), std::vector<int>(t.shape.dims.size()));
    for (auto& offset : t.offsets)
      for (int& steps : offset)
        steps = below(7) - 3;
    size = static_cast<std::uint32_t>(ranks_of(t.shape));
    const auto bytes = static_cast<std::uint64_t>(1 + below(9));
    for (std::uint32_t r = 0; r < size; ++r) {
      all.push_back(t.of(rank_id{r}));
      neighbor_blocks b;
      for (std::uint64_t i = 0; i < t.offsets.size(); ++i) {
        b.out.push_back({{same ? 1000 : 1000 + i * bytes, bytes}});
        b.in.push_back({{90000 - i * 20, bytes / 2}, {90010 - i * 20, bytes - bytes / 2}});
        std::erase_if(b.in.back(), [](const graphs::segment& s) { return s.length == 0; });
      }
      blocks.push_back(b);
    }
  }
};

TEST(combine, plans_mean_the_collective_with_the_promised_number_of_messages) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const bool same = seed % 2 == 0;
    const torus_case c(seed, same);
    std::vector<graphs::rank_plan> plans;
    const combining_cost cost = cost_of_combining(c.t, same);
    for (std::uint32_t r = 0; r < c.size; ++r) {
      plans.push_back(combined(c.t, rank_id{r}, c.blocks[r], same));
      std::size_t sends = 0;
      std::uint64_t bytes = 0;
      std::set<rank_id> to;
      for (const graphs::step& s : plans.back().steps)
        if (s.kind == graphs::step_kind::send)
          ++sends, to.insert(s.peer), bytes += graphs::total_length(s.reads);
      ASSERT_EQ(sends, cost.messages_combined) << "seed " << seed;
      ASSERT_EQ(to.size(), sends) << "one message per pair, seed " << seed;
      if (!c.t.offsets.empty()) {
        ASSERT_EQ(bytes, cost.blocks_combined * total_length(c.blocks[r].out[0])) << "seed " << seed;
      }
    }
    ASSERT_EQ(first_wrong_byte(c.all, c.blocks, plans, seed), "") << "seed " << seed;
  }
}

TEST(combine, moore_neighborhoods_take_two_messages_per_dimension) {
  topology t;
  t.what = topology::kind::stencil;
  t.shape = {{4, 4, 4}, {true, true, true}};
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        t.offsets.push_back({x, y, z});
  const combining_cost c = cost_of_combining(t, false);
  EXPECT_EQ(c.messages_direct, 26u);
  EXPECT_EQ(c.messages_combined, 6u);
  EXPECT_EQ(c.blocks_direct, 26u);
  EXPECT_EQ(c.blocks_combined, 54u) << "18 blocks move in each dimension";
  EXPECT_EQ(cost_of_combining(t, true).blocks_combined, 26u) << "2 + 6 + 18: what is equal travels once";
  EXPECT_TRUE(can_combine(t));
  t.shape.periodic[1] = false;
  EXPECT_FALSE(can_combine(t)) << "a way may lead over the boundary";
  t.shape = {{2, 1, 1}, {true, true, true}};
  EXPECT_EQ(cost_of_combining(t, false).messages_combined, 1u);
}

} // namespace
} // namespace tacit::test
