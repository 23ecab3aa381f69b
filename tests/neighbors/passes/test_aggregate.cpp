// Locality aggregation: the plans of all ranks, made from what the ranks of each node would tell each other,
// are executed and compared byte by byte with the meaning.
#include "neighbor_machine.h"
#include "neighbors/passes/aggregate.h"
#include "random_case.h"
#include "spread_plans.h"

#include <gtest/gtest.h>
#include <set>

namespace tacit::test {

using namespace neighbors;
namespace {

/// Pairs of nodes between which short messages flow, and messages that leave a node with one of the three
/// tags.
std::pair<std::size_t, std::size_t> between_nodes(const std::vector<graphs::rank_plan>& direct,
                                                  const std::vector<graphs::rank_plan>& plans,
                                                  const node_map& nodes, std::uint64_t longest) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::size_t messages = 0;
  for (std::size_t r = 0; r < direct.size(); ++r) {
    const auto crosses = [&](const graphs::step& s) {
      return s.kind == graphs::step_kind::send && nodes.node_of[index(s.peer)] != nodes.node_of[r];
    };
    for (const graphs::step& s : direct[r].steps)
      if (crosses(s) && graphs::total_length(s.reads) <= longest)
        pairs.insert({nodes.node_of[r], nodes.node_of[index(s.peer)]});
    for (const graphs::step& s : plans[r].steps)
      messages += crosses(s) && s.tag >= 5 ? 1 : 0;
  }
  return {pairs.size(), messages};
}

TEST(aggregate, plans_mean_the_collective_with_one_message_per_pair_of_nodes) {
  std::size_t aggregated_messages = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    random_case c = seed % 3 == 0 ? random_case(seed) : random_case(seed, 30);
    seed % 4 == 0 ? c.make_same_blocks() : c.make_blocks(seed % 4 == 1);
    const auto direct = direct_plans(c, c.some_passes());
    const std::uint64_t count = 1 + c.below(6), longest = c.below(2) ? 1000 : 25;
    std::vector<std::uint64_t> identities;
    for (std::uint32_t r = 0; r < c.size; ++r) // nodes of one size after the other, or of any sizes, mixed
      identities.push_back(seed % 2 ? 77 * (r / count) : c.below(count) * 1000003);
    const node_map nodes = map_of_nodes(identities);
    const auto plans = through_nodes(direct, nodes, longest);
    ASSERT_EQ(first_wrong_byte(c.all, c.blocks, plans, seed), "") << "seed " << seed;
    const auto [pairs, messages] = between_nodes(direct, plans, nodes, longest);
    ASSERT_EQ(pairs, messages) << "seed " << seed;
    aggregated_messages += messages;
    for (const graphs::rank_plan& p : plans) {
      std::set<std::tuple<graphs::step_kind, rank_id, int>> once;
      for (const graphs::step& s : p.steps)
        if (s.tag >= 5) {
          ASSERT_TRUE(once.insert({s.kind, s.peer, s.tag}).second) << "seed " << seed;
        }
    }
  }
  EXPECT_GT(aggregated_messages, 3000u);
}

TEST(aggregate, a_wrong_order_is_noticed) {
  int noticed = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    random_case c(seed, 20);
    c.make_blocks(false);
    std::vector<std::uint64_t> identities;
    for (std::uint32_t r = 0; r < c.size; ++r)
      identities.push_back(r / 4);
    auto plans = through_nodes(direct_plans(c), map_of_nodes(identities), 1000);
    for (graphs::rank_plan& plan : plans)
      for (graphs::step& s : plan.steps) {
        auto& list = s.kind == graphs::step_kind::recv ? s.writes : s.reads;
        if (s.tag < 5 || list.size() < 2 || list.front() == list.back() || list.front().length == 0 ||
            list.back().length == 0)
          continue;
        std::swap(list.front(), list.back());
        ++tried;
        noticed += first_wrong_byte(c.all, c.blocks, plans, seed).empty() ? 0 : 1;
        std::swap(list.front(), list.back());
      }
  }
  EXPECT_GT(tried, 200);
  EXPECT_EQ(noticed, tried);
}

TEST(aggregate, a_sixteenth_of_the_messages_leave_the_node) {
  random_case c(1);
  c.size = 32;
  c.all.clear();
  for (std::uint32_t r = 0; r < c.size; ++r) {
    std::vector<rank_id> others;
    for (std::uint32_t o = 0; o < c.size; ++o)
      if (o != r)
        others.push_back(rank_id{o});
    c.all.push_back(graph_neighborhood(others, {}, others, {}));
  }
  c.make_blocks(true);
  for (auto& b : c.blocks)
    for (auto* side : {&b.out, &b.in})
      for (std::size_t i = 0; i < side->size(); ++i)
        (*side)[i] = {{(side == &b.out ? 1000 : 500000) + 8 * i, 8}};
  std::vector<std::uint64_t> identities;
  for (std::uint32_t r = 0; r < c.size; ++r)
    identities.push_back(r / 8);
  const node_map nodes = map_of_nodes(identities);
  EXPECT_TRUE(nodes.useful());
  const auto direct = direct_plans(c);
  const auto plans = through_nodes(direct, nodes, 4000);
  EXPECT_EQ(between_nodes(direct, plans, nodes, 4000), (std::pair<std::size_t, std::size_t>(12, 12)));
  double most_direct = 0, most_aggregated = 0;
  for (std::uint32_t r = 0; r < c.size; ++r) {
    most_direct = std::max(most_direct, busy_time(direct[r], nodes, rank_id{r}, {}));
    most_aggregated = std::max(most_aggregated, busy_time(plans[r], nodes, rank_id{r}, {}));
  }
  EXPECT_LT(most_aggregated, most_direct / 2);
  EXPECT_EQ(first_wrong_byte(c.all, c.blocks, plans, 3), "");
}

TEST(aggregate, one_node_or_one_rank_per_node_is_no_use) {
  EXPECT_FALSE(map_of_nodes(std::vector<std::uint64_t>{4, 4, 4}).useful());
  EXPECT_FALSE(map_of_nodes(std::vector<std::uint64_t>{4, 5, 6}).useful());
  EXPECT_TRUE(map_of_nodes(std::vector<std::uint64_t>{4, 5, 4}).useful());
  EXPECT_FALSE(map_of_nodes({}).useful());
}

} // namespace
} // namespace tacit::test
