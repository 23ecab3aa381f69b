// Balancing trees: the plans of all ranks, made from what each of them would know, are executed and compared
// byte by byte with the meaning.
#include "neighbor_machine.h"
#include "neighbors/passes/tree.h"
#include "random_case.h"
#include "spread_plans.h"

#include <gtest/gtest.h>
#include <set>

namespace tacit::test {

using namespace neighbors;
namespace {

std::size_t messages(const std::vector<graphs::rank_plan>& plans, graphs::step_kind kind) {
  std::size_t n = 0;
  for (const graphs::rank_plan& p : plans)
    n += static_cast<std::size_t>(
        std::count_if(p.steps.begin(), p.steps.end(), [&](const graphs::step& s) { return s.kind == kind; }));
  return n;
}

std::size_t busiest(const std::vector<graphs::rank_plan>& plans) {
  std::size_t most = 0;
  for (const graphs::rank_plan& p : plans)
    most = std::max(most, messages({p}, graphs::step_kind::send) + messages({p}, graphs::step_kind::recv));
  return most;
}

TEST(tree, plans_mean_the_collective_and_move_as_many_messages) {
  std::size_t trees = 0, members = 0, same = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    random_case c = seed % 4 == 0 ? random_case(seed) : random_case(seed, 40);
    seed % 3 == 0 ? c.make_same_blocks() : c.make_blocks(seed % 3 == 1);
    const auto direct = direct_plans(c, c.some_passes());
    tree_rule rule = eager();
    rule.largest_fan_out = 2 + c.below(6);
    rule.most_trees = c.below(3) == 0 ? 2 : 48;
    const planted p = plant(direct, rule);
    ASSERT_EQ(first_wrong_byte(c.all, c.blocks, p.plans, seed), "") << "seed " << seed;
    ASSERT_EQ(messages(p.plans, graphs::step_kind::send), messages(direct, graphs::step_kind::send))
        << "seed " << seed;
    for (const balancing_tree& t : p.trees)
      ++trees, members += t.members.size(), same += t.same ? 1 : 0;
  }
  EXPECT_GT(trees, 5000u);
  EXPECT_GT(members, 2 * trees);
  EXPECT_GT(same, 500u);
}

TEST(tree, a_wrong_role_is_noticed) {
  int noticed = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    random_case c(seed, 30);
    c.make_blocks(false);
    planted p = plant(direct_plans(c), eager());
    // Two pieces of an inner member's or the root's message change places.
    for (graphs::rank_plan& plan : p.plans)
      for (graphs::step& s : plan.steps) {
        auto& list = s.kind == graphs::step_kind::recv ? s.writes : s.reads;
        if (s.tag == 0 || list.size() < 2 || list.front() == list.back())
          continue;
        std::swap(list.front(), list.back());
        ++tried;
        noticed += first_wrong_byte(c.all, c.blocks, p.plans, seed).empty() ? 0 : 1;
        std::swap(list.front(), list.back());
      }
  }
  EXPECT_GT(tried, 300);
  EXPECT_EQ(noticed, tried);
}

/// Everybody sends to rank 0 and hears from it; neighbors on a ring besides.
random_case star(std::uint32_t ranks, std::uint64_t bytes) {
  random_case c(1);
  c.size = ranks;
  c.all.clear();
  c.blocks.assign(ranks, {});
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<rank_id> peers{rank_id{(r + 1) % ranks}, rank_id{(r + ranks - 1) % ranks}};
    if (r != 0)
      peers.push_back(rank_id{0});
    else
      for (std::uint32_t o = 1; o < ranks; ++o)
        peers.push_back(rank_id{o});
    c.all.push_back(graph_neighborhood(peers, {}, peers, {}));
    for (std::size_t i = 0; i < peers.size(); ++i) {
      c.blocks[r].out.push_back({{1000 + i * bytes, bytes}});
      c.blocks[r].in.push_back({{5000000 + i * bytes, bytes}});
    }
  }
  return c;
}

TEST(tree, a_star_is_balanced) {
  const random_case c = star(200, 16);
  const auto direct = direct_plans(c);
  EXPECT_EQ(busiest(direct), 398u);
  const planted p = plant(direct, {});
  ASSERT_EQ(p.sides.size(), 2u) << "what rank 0 receives, and what it sends";
  EXPECT_EQ(p.sides[0].root, rank_id{0});
  EXPECT_TRUE(p.sides[0].gathers != p.sides[1].gathers);
  EXPECT_LT(busiest(p.plans), 40u);
  EXPECT_EQ(first_wrong_byte(c.all, c.blocks, p.plans, 7), "");
}

TEST(tree, helpers_are_those_with_the_least_to_do) {
  random_case c(1);
  c.size = 40;
  c.all.clear();
  std::vector<std::vector<rank_id>> in(c.size), out(c.size);
  const auto edge_between = [&](std::uint32_t a, std::uint32_t b) {
    out[a].push_back(rank_id{b});
    in[b].push_back(rank_id{a});
  };
  for (std::uint32_t r = 1; r < c.size; ++r)
    edge_between(r, 0);
  for (std::uint32_t r = 1; r < 20; ++r) // the first half is busy with other things
    for (std::uint32_t k = 1; k < 6; ++k)
      edge_between(r, 1 + (r + k) % 19);
  for (std::uint32_t r = 0; r < c.size; ++r)
    c.all.push_back(graph_neighborhood(in[r], {}, out[r], {}));
  c.make_blocks(true);
  tree_rule rule;
  rule.times_average = 1;
  const planted p = plant(direct_plans(c), rule);
  ASSERT_EQ(p.trees.size(), 1u);
  const balancing_tree& t = p.trees[0];
  for (std::size_t m = 0; m < t.members.size(); ++m)
    EXPECT_TRUE(t.role(m).children.empty() || index(t.members[m]) >= 20u);
}

TEST(tree, none_where_all_are_equally_busy_or_messages_are_long) {
  random_case torus(1);
  torus.size = 125;
  torus.all.clear();
  std::vector<std::vector<int>> offsets;
  for (int i = 0; i < 125; ++i)
    offsets.push_back({i / 25 - 2, i / 5 % 5 - 2, i % 5 - 2});
  for (std::uint32_t r = 0; r < torus.size; ++r)
    torus.all.push_back(stencil_neighborhood({{5, 5, 5}, {true, true, true}}, offsets, rank_id{r}));
  torus.make_blocks(true);
  const auto loads_of = [](const std::vector<graphs::rank_plan>& plans) {
    std::vector<message_load> loads;
    for (const graphs::rank_plan& p : plans)
      loads.push_back(load_of(p, {}));
    return loads;
  };
  const auto even = loads_of(direct_plans(torus));
  EXPECT_TRUE(hot_sides(even, {}).empty());
  EXPECT_EQ(
      why_no_tree(even, {}),
      "no trees: rank 0 receives most short messages, 124, fewer than 2 times the 248.0 of an average rank");
  const auto long_ones = loads_of(direct_plans(star(100, 5000)));
  EXPECT_TRUE(hot_sides(long_ones, {}).empty());
  EXPECT_EQ(why_no_tree(long_ones, {}), "no trees: no messages that are short enough");
  EXPECT_FALSE(hot_sides(loads_of(direct_plans(star(100, 3000))), {}).empty());
  const auto few = loads_of(direct_plans(star(12, 16)));
  EXPECT_TRUE(hot_sides(few, {}).empty());
  EXPECT_EQ(why_no_tree(few, {}), "no trees: rank 0 receives most short messages, 11, fewer than 16");
  EXPECT_EQ(why_no_tree({}, {}), "no trees: no messages that are short enough");
}

TEST(tree, what_all_neighbors_get_alike_travels_once_per_edge) {
  random_case c = star(100, 16);
  for (auto& b : c.blocks)
    for (auto& bytes : b.out)
      bytes = {{1000, 16}};
  const planted p = plant(direct_plans(c), {});
  ASSERT_EQ(p.trees.size(), 2u);
  std::uint64_t sent = 0;
  for (const graphs::step& s : p.plans[0].steps)
    if (s.kind == graphs::step_kind::send && s.tag != 0)
      sent += graphs::total_length(s.reads);
  const balancing_tree& scatter = p.sides[0].gathers ? p.trees[1] : p.trees[0];
  EXPECT_TRUE(scatter.same);
  EXPECT_EQ(scatter.members.size(), 97u);
  EXPECT_EQ(scatter.left_out.size(), 2u) << "ring edges double their messages";
  EXPECT_EQ(first_wrong_byte(c.all, c.blocks, p.plans, 3), "");
  EXPECT_EQ(sent, 16u * scatter.fan_out);
}

} // namespace
} // namespace tacit::test
