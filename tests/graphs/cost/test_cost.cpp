// What plans cost: their traffic, its price on a machine, and prices as words for reductions.
#include "graphs/cost/message_price.h"
#include "graphs/cost/price.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tacit::graphs {
namespace {

pair_class same_node(rank_id) {
  return pair_class::same_node;
}
pair_class other_node(rank_id) {
  return pair_class::other_node;
}

step message(step_kind kind, std::uint64_t bytes, std::vector<std::uint32_t> after = {}) {
  step s;
  s.kind = kind;
  (kind == step_kind::recv ? s.writes : s.reads).push_back({0x1000, bytes});
  if (kind == step_kind::copy)
    s.writes.push_back({0x8000, bytes});
  s.after = std::move(after);
  return s;
}

constexpr std::uint64_t any_length = std::numeric_limits<std::uint64_t>::max();

traffic exchange(std::uint64_t messages, std::uint64_t bytes, pair_class between = pair_class::same_node) {
  return {{{bytes, messages, between}}, {{bytes, messages, between}}, 0, 0, 0, 1};
}

TEST(cost, long_messages_are_not_joined_for_mpi_to_pack) {
  for (const pair_class between : {pair_class::same_node, pair_class::other_node}) {
    const bool within = between == pair_class::same_node;
    const machine_costs costs = costs_of(default_model(), default_model(), within);
    const auto joined = [&](std::uint64_t bytes) {
      traffic t = exchange(1, 2 * bytes, between);
      t.sends[0].scattered = t.receives[0].scattered = true;
      return predicted(t, "p2p", costs, 0);
    };
    const auto apart = [&](std::uint64_t bytes) {
      return predicted(exchange(2, bytes, between), "p2p", costs, 0);
    };
    EXPECT_LT(joined(64), apart(64));
    EXPECT_GT(joined(1 << 20), within ? apart(1 << 20) * 1.1 : 0);
  }
}

TEST(cost, sees_the_traffic_of_a_plan) {
  rank_plan plan;
  plan.steps = {message(step_kind::send, 8),       message(step_kind::send, 8),
                message(step_kind::recv, 16),      message(step_kind::copy, 4, {2}),
                message(step_kind::send, 24, {3}), message(step_kind::recv, 32, {3})};
  plan.steps[0].reads.push_back({0x3000, 4});
  plan.steps[0].reads[0].length = 4;
  const traffic t = traffic_of(plan, same_node);
  ASSERT_EQ(t.sends.size(), 3u);
  EXPECT_EQ(t.sends[0].bytes, 8u);
  EXPECT_TRUE(t.sends[0].scattered);
  EXPECT_EQ(t.sends[1].bytes, 8u);
  EXPECT_FALSE(t.sends[1].scattered);
  EXPECT_EQ(t.sends[2].bytes, 24u);
  ASSERT_EQ(t.receives.size(), 2u);
  EXPECT_EQ(t.pieces, 1u);
  EXPECT_EQ(t.copies, 1u);
  EXPECT_EQ(t.copied_bytes, 4u);
  EXPECT_EQ(t.rounds, 2u) << "the second receive waits for the first";
  EXPECT_EQ(t.sends[0].between, pair_class::same_node);
  EXPECT_EQ(traffic_of(plan, other_node).sends[0].between, pair_class::other_node);
  EXPECT_EQ(traffic_of({}, same_node).rounds, 0u);
}

TEST(cost, predictions_follow_the_model) {
  const machine_costs c;
  const auto price = [&](const traffic& t, const char* driver) {
    return predicted(t, driver, c, any_length);
  };
  EXPECT_LT(price(exchange(1, 8), "shm"), price(exchange(1, 8), "p2p"));
  EXPECT_GT(price(exchange(1, 8, pair_class::other_node), "shm"),
            price(exchange(1, 8, pair_class::other_node), "p2p"))
      << "shared memory does not reach other nodes, but is looked at";
  EXPECT_GT(predicted(exchange(1, 8), "shm", c, 0), 1.1 * price(exchange(1, 8), "p2p"))
      << "forbidden here, so that p2p is taken";
  EXPECT_GT(price(exchange(1, 8, pair_class::other_node), "p2p"), price(exchange(1, 8), "p2p"));
  EXPECT_GT(price(exchange(2, 8), "p2p"), price(exchange(1, 8), "p2p"));
  EXPECT_GT(price(exchange(1, 1 << 20), "shm"), price(exchange(1, 8), "shm"));
  for (const std::uint64_t bytes : {8192u, 65536u, 1u << 20, 1u << 22})
    EXPECT_LT(price(exchange(1, bytes), "shm"), price(exchange(1, bytes), "p2p"))
        << bytes << " B: cores move them either way";
  EXPECT_GT(price(exchange(1, 8), "rma"), 0);
  EXPECT_LT(price(exchange(1, 8), "of the future"), 0);
  machine_costs without = c;
  without.within_node.puts.clear();
  without.within_node.memory.clear();
  EXPECT_LT(predicted(exchange(1, 8), "rma", without, any_length), 0);
  EXPECT_EQ(predicted(exchange(1, 8), "shm", without, any_length),
            predicted(exchange(1, 8), "p2p", without, any_length) + asking_both);
  EXPECT_EQ(price({}, "p2p"), 0);
}

TEST(cost, one_number_replaces_the_whole_model) {
  const machine_costs c = costs_of(message_cost{100, 1000, 0.1, 0.5});
  EXPECT_NEAR(predicted(exchange(3, 8, pair_class::other_node), "p2p", c, any_length), 1000 + 6 * (100 + 15),
              1e-6);
  EXPECT_NEAR(predicted(exchange(3, 8), "p2p", c, any_length), 500 + 6 * (50 + 15), 1e-6);
  EXPECT_EQ(predicted(exchange(3, 8), "shm", c, any_length),
            predicted(exchange(3, 8), "p2p", c, any_length) + asking_both)
      << "drivers have no prices of their own";
  EXPECT_NEAR(predicted(exchange(1, 1 << 20, pair_class::other_node), "p2p", c, any_length), 1000 + 104857.6,
              1)
      << "the wire is what takes time";
  EXPECT_EQ(c.messages.overhead, 100);
}

TEST(cost, four_numbers_stand_for_a_model) {
  const message_cost c = cost_of(default_model());
  EXPECT_NEAR(c.overhead, 136, 1);
  EXPECT_NEAR(c.byte, 1.0 / 8, 0.01);
  EXPECT_EQ(c.node_share, 1);
  EXPECT_GT(c.latency, 100);
  const machine_costs network =
      costs_of(default_model(), model_of(message_cost(), pair_class::other_node), false);
  EXPECT_EQ(network.messages.overhead, 300);
  EXPECT_NEAR(network.messages.node_share, 136.0 / 300, 0.01);
  const message_cost nothing = cost_of(machine_model());
  for (const double number : {nothing.overhead, nothing.latency, nothing.byte, nothing.node_share})
    EXPECT_GT(number, 0) << "four positive numbers, whatever the model says";
}

TEST(cost, minima_of_words_are_maxima_of_prices) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1000; ++i) {
    const double a = static_cast<double>(random() % 1000000000) / 10,
                 b = static_cast<double>(random() % 100000) / 10;
    const std::uint64_t least = std::min(word_of_price(a), word_of_price(b));
    EXPECT_LT(word_of_price(a), std::uint64_t{1} << 62);
    EXPECT_NEAR(price_of_word(least), std::max(a, b), 0.11);
  }
  EXPECT_LT(price_of_word(std::min(word_of_price(-1), word_of_price(7))), 0)
      << "a rank that cannot forbids it";
  EXPECT_GE(price_of_word(word_of_price(1e300)), 1e15);
  EXPECT_LT(price_of_word(word_of_price(std::numeric_limits<double>::quiet_NaN())), 0);
}

TEST(cost, longer_messages_than_allowed_do_not_go_through_memory) {
  const machine_costs c;
  EXPECT_EQ(predicted(exchange(1, 200), "shm", c, 100),
            predicted(exchange(1, 200), "p2p", c, 100) + asking_both);
}

TEST(cost, what_is_no_message_has_no_price) {
  rank_plan plan;
  plan.steps = {message(step_kind::send, 8), message(step_kind::collective, 8)};
  EXPECT_FALSE(traffic_of(plan, same_node).has_price);
  EXPECT_LT(predicted(traffic_of(plan, same_node), "p2p", machine_costs(), any_length), 0);
}

TEST(cost, the_slowest_rank_of_a_plan_counts) {
  plan p;
  p.ranks.resize(3);
  p.ranks[0].steps = {message(step_kind::recv, 8), message(step_kind::recv, 8)};
  p.ranks[1].steps = p.ranks[2].steps = {message(step_kind::send, 8)};
  for (std::uint32_t r = 0; r < 3; ++r)
    for (step& s : p.ranks[r].steps)
      s.peer = rank_id{r == 0 ? 1u : 0u};
  const auto far_from_two = [](rank_id a, rank_id b) {
    return index(a) == 2 || index(b) == 2 ? pair_class::other_node : pair_class::same_node;
  };
  const machine_costs costs;
  const auto of_rank = [&](std::uint32_t r) {
    const auto to = [&](rank_id peer) { return far_from_two(rank_id{r}, peer); };
    return predicted(traffic_of(p.ranks[r], to), "p2p", costs, any_length);
  };
  EXPECT_EQ(predicted(p, "p2p", costs, far_from_two, any_length),
            std::max({of_rank(0), of_rank(1), of_rank(2)}));
  EXPECT_GT(of_rank(2), of_rank(1));
  p.ranks[1].steps.push_back(message(step_kind::call, 0));
  EXPECT_LT(predicted(p, "p2p", costs, far_from_two, any_length), 0);
}

} // namespace
} // namespace tacit::graphs
