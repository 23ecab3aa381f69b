// The choice of a way is a pure function: the same numbers, the same answer, and the reason with it.
#include "neighbors/passes/choice.h"
#include "neighbors/passes/combine.h"
#include "neighbors/passes/neighbor.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tacit {

using namespace neighbors;
namespace {

bool everybody(rank_id) {
  return true;
}
bool nobody(rank_id) {
  return false;
}

graphs::step message(graphs::step_kind kind, std::uint64_t bytes, std::vector<std::uint32_t> after = {}) {
  graphs::step s;
  s.kind = kind;
  (kind == graphs::step_kind::recv ? s.writes : s.reads).push_back({0x1000, bytes});
  if (kind == graphs::step_kind::copy)
    s.writes.push_back({0x8000, bytes});
  s.after = std::move(after);
  return s;
}

/// The cells around a cell, itself included.
topology moore(std::vector<int> dims) {
  topology t;
  t.what = topology::kind::stencil;
  t.shape = {std::move(dims), {true, true, true}};
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        t.offsets.push_back({x, y, z});
  return t;
}

neighbor_blocks blocks_for(const topology& t, std::uint64_t bytes) {
  neighbor_blocks b;
  for (std::size_t i = 0; i < t.offsets.size(); ++i) {
    b.out.push_back({{0x100000 + i * bytes, bytes}});
    b.in.push_back({{0x10000000 + i * bytes, bytes}});
  }
  return b;
}

traffic traffic_in(form f, const topology& t, std::uint64_t bytes, bool near) {
  const rank_id me{0};
  const neighbor_blocks blocks = blocks_for(t, bytes);
  if (f == form::combined)
    return traffic_of(combined(t, me, blocks, false), near ? everybody : nobody);
  std::uint32_t size = 1;
  for (const int d : t.shape.dims)
    size *= static_cast<std::uint32_t>(d);
  const neighborhood n = t.of(me);
  neighbor_passes passes;
  passes.coalesce = f == form::coalesced;
  return traffic_of(plan_neighbor(n, me, blocks, rotated_rounds(n, me, size), passes, true),
                    near ? everybody : nobody);
}

constexpr std::uint64_t any_length = std::numeric_limits<std::uint64_t>::max();

traffic exchange(std::uint64_t messages, std::uint64_t bytes, bool near = true) {
  return {{{bytes, messages, near}}, {{bytes, messages, near}}, 0, 0, 0, 1};
}

/// MPI packs what is scattered: two long messages are then cheaper than one, two short ones are not.
TEST(choice, long_messages_are_not_joined_for_mpi_to_pack) {
  for (const bool near : {true, false}) {
    const machine_costs costs = costs_of(graphs::default_model(), graphs::default_model(), near);
    const auto joined = [&](std::uint64_t bytes) {
      traffic t = exchange(1, 2 * bytes, near);
      t.sends[0].scattered = t.receives[0].scattered = true;
      return predicted(t, "p2p", costs, 0);
    };
    const auto apart = [&](std::uint64_t bytes) {
      return predicted(exchange(2, bytes, near), "p2p", costs, 0);
    };
    EXPECT_LT(joined(64), apart(64));
    EXPECT_GT(joined(1 << 20), near ? apart(1 << 20) * 1.1 : 0);
  }
}

TEST(choice, sees_the_traffic_of_a_plan) {
  graphs::rank_plan plan;
  plan.steps = {message(graphs::step_kind::send, 8),       message(graphs::step_kind::send, 8),
                message(graphs::step_kind::recv, 16),      message(graphs::step_kind::copy, 4, {2}),
                message(graphs::step_kind::send, 24, {3}), message(graphs::step_kind::recv, 32, {3})};
  plan.steps[0].reads.push_back({0x3000, 4});
  plan.steps[0].reads[0].length = 4;
  const traffic t = traffic_of(plan, everybody);
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
  EXPECT_TRUE(t.sends[0].near);
  EXPECT_FALSE(traffic_of(plan, nobody).sends[0].near);
  EXPECT_EQ(traffic_of({}, everybody).rounds, 0u);
}

TEST(choice, messages_per_edge_are_counted_without_a_plan) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    neighborhood n;
    neighbor_blocks blocks;
    std::vector<std::uint32_t> out(4), in(4);
    const auto add = [&](std::vector<edge>& edges, std::vector<std::vector<graphs::segment>>& list,
                         std::vector<std::uint32_t>& channels) {
      const std::uint32_t peer = random() % 5; // 4: none
      edges.push_back({peer == 4 ? no_rank : rank_id{peer}, peer == 4 ? 0 : channels[peer]++, 1});
      list.emplace_back();
      for (unsigned piece = random() % 3; piece > 0; --piece)
        list.back().push_back({0x1000 * (1 + list.size()) + 100 * piece, 1 + random() % 50});
    };
    for (unsigned e = random() % 8; e > 0; --e)
      add(n.destinations, blocks.out, out);
    for (unsigned e = random() % 8; e > 0; --e)
      add(n.sources, blocks.in, in);
    // Edges to oneself must fit together, which this rank alone decides.
    for (std::vector<edge>* edges : {&n.destinations, &n.sources})
      for (edge& e : *edges)
        if (e.peer == rank_id{0})
          e.peer = rank_id{3};
    neighbor_passes passes;
    passes.coalesce = passes.order = false;
    passes.empty = random() % 2 == 0;
    const auto is_near = [](rank_id peer) { return index(peer) < 2; };
    const traffic counted = traffic_by_edge(n, rank_id{0}, blocks, passes, is_near);
    const traffic planned = traffic_of(
        plan_neighbor(n, rank_id{0}, blocks, rotated_rounds(n, rank_id{0}, 4), passes, true), is_near);
    const auto sum = [](const std::vector<message_group>& groups, bool near, bool scattered) {
      std::pair<std::uint64_t, std::uint64_t> s;
      for (const message_group& g : groups)
        if (g.near == near && g.scattered == scattered)
          s.first += g.count, s.second += g.count * g.bytes;
      return s;
    };
    for (const bool near : {true, false})
      for (const bool scattered : {true, false}) {
        EXPECT_EQ(sum(counted.sends, near, scattered), sum(planned.sends, near, scattered));
        EXPECT_EQ(sum(counted.receives, near, scattered), sum(planned.receives, near, scattered));
      }
    EXPECT_EQ(counted.pieces, planned.pieces);
    EXPECT_EQ(counted.rounds, planned.rounds);
  }
  // Edges to oneself are copies.
  const topology t = moore({2, 1, 1});
  const traffic counted =
      traffic_by_edge(t.of(rank_id{0}), rank_id{0}, blocks_for(t, 8), neighbor_passes(), everybody);
  const traffic planned = traffic_in(form::direct, t, 8, true);
  EXPECT_EQ(counted.copies, planned.copies);
  EXPECT_EQ(counted.copied_bytes, planned.copied_bytes);
  ASSERT_EQ(counted.sends.size(), 1u);
  EXPECT_EQ(counted.sends[0].count, planned.sends[0].count);
}

TEST(choice, predictions_follow_the_model) {
  const machine_costs c;
  const auto price = [&](const traffic& t, const char* driver) {
    return predicted(t, driver, c, any_length);
  };
  EXPECT_LT(price(exchange(1, 8), "shm"), price(exchange(1, 8), "p2p"));
  EXPECT_EQ(price(exchange(1, 8, false), "shm"), price(exchange(1, 8, false), "p2p"))
      << "shared memory does not reach other nodes";
  EXPECT_EQ(predicted(exchange(1, 8), "shm", c, 0), price(exchange(1, 8), "p2p")) << "forbidden here";
  EXPECT_GT(price(exchange(1, 8, false), "p2p"), price(exchange(1, 8), "p2p"));
  EXPECT_GT(price(exchange(2, 8), "p2p"), price(exchange(1, 8), "p2p"));
  EXPECT_GT(price(exchange(1, 1 << 20), "shm"), price(exchange(1, 8), "shm"));
  for (const std::uint64_t bytes : {8192u, 65536u, 1u << 20, 1u << 22})
    EXPECT_LT(price(exchange(1, bytes), "shm"), price(exchange(1, bytes), "p2p"))
        << bytes << " B: cores move them either way";
  EXPECT_GT(price(exchange(1, 8), "rma"), 0);
  EXPECT_LT(price(exchange(1, 8), "of the future"), 0);
  machine_costs without = c;
  without.near.puts.clear();
  without.near.memory.clear();
  EXPECT_LT(predicted(exchange(1, 8), "rma", without, any_length), 0);
  EXPECT_EQ(predicted(exchange(1, 8), "shm", without, any_length),
            predicted(exchange(1, 8), "p2p", without, any_length));
  EXPECT_EQ(price({}, "p2p"), 0);
}

TEST(choice, one_number_replaces_the_whole_model) {
  const machine_costs c = costs_of(graphs::message_cost{100, 1000, 0.1, 0.5});
  EXPECT_NEAR(predicted(exchange(3, 8, false), "p2p", c, any_length), 1000 + 6 * (100 + 15), 1e-6);
  EXPECT_NEAR(predicted(exchange(3, 8), "p2p", c, any_length), 500 + 6 * (50 + 15), 1e-6);
  EXPECT_EQ(predicted(exchange(3, 8), "shm", c, any_length), predicted(exchange(3, 8), "p2p", c, any_length))
      << "drivers have no prices of their own";
  EXPECT_NEAR(predicted(exchange(1, 1 << 20, false), "p2p", c, any_length), 1000 + 104857.6, 1)
      << "the wire is what takes time";
  EXPECT_EQ(c.messages.overhead, 100);
}

TEST(choice, four_numbers_stand_for_a_model) {
  const graphs::message_cost c = graphs::cost_of(graphs::default_model());
  EXPECT_NEAR(c.overhead, 136, 1);
  EXPECT_NEAR(c.byte, 1.0 / 6, 0.01);
  EXPECT_EQ(c.near, 1);
  EXPECT_GT(c.latency, 100);
  const machine_costs network =
      costs_of(graphs::default_model(), graphs::model_of(graphs::message_cost(), false), false);
  EXPECT_EQ(network.messages.overhead, 300);
  EXPECT_NEAR(network.messages.near, 136.0 / 300, 0.01);
  const graphs::message_cost nothing = graphs::cost_of(graphs::machine_model());
  for (const double number : {nothing.overhead, nothing.latency, nothing.byte, nothing.near})
    EXPECT_GT(number, 0) << "four positive numbers, whatever the model says";
}

struct expectation {
  const char* what;
  std::vector<int> dims;
  std::uint64_t bytes;
  graphs::message_cost cost;
  form cheapest;
};

TEST(choice, of_forms_between_nodes) {
  const graphs::message_cost fast{300, 1000, 0.1, 1}, tcp{2500, 20000, 0.8, 1}, low{100, 1000, 0.1, 1};
  const std::vector<expectation> table{
      {"26 short messages", {4, 4, 4}, 8, fast, form::combined},
      {"26 long messages", {4, 4, 4}, 1 << 20, fast, form::coalesced},
      {"three latencies, and bytes that travel thrice", {4, 4, 4}, 1024, low, form::coalesced},
      {"TCP", {4, 4, 4}, 256, tcp, form::combined},
      {"one neighbor has all blocks coalesced already", {2, 1, 1}, 8, fast, form::coalesced},
      {"seven neighbors", {2, 2, 2}, 8, fast, form::combined}};
  for (const expectation& e : table) {
    const topology t = moore(e.dims);
    std::vector<way> ways;
    for (const form f : {form::coalesced, form::direct, form::combined})
      ways.push_back({f, "p2p", predicted(traffic_in(f, t, e.bytes, false), "p2p", costs_of(e.cost), 0)});
    const std::size_t taken = cheapest(ways);
    EXPECT_EQ(ways[taken].shape, e.cheapest) << e.what << ": " << reason_for(ways, taken);
  }
}

TEST(choice, messages_per_edge_pay_where_long_ones_wait_for_their_receivers) {
  // Two ranks, 27 edges: 26 of them between the two.
  const topology t = moore({2, 1, 1});
  graphs::machine_model rendezvous = graphs::default_model();
  for (graphs::message_times& m : rendezvous.messages)
    if (m.bytes > 4096)
      for (graphs::spread* s : {&m.one_way, &m.receive, &m.gap})
        s->median += 1e6;
  const machine_costs c = costs_of(rendezvous, rendezvous, true);
  for (const bool many : {false, true}) {
    const double together = predicted(traffic_in(form::coalesced, t, many ? 1024 : 8, true), "p2p", c, 0);
    const double apart = predicted(traffic_in(form::direct, t, many ? 1024 : 8, true), "p2p", c, 0);
    EXPECT_EQ(apart < together, many);
  }
}

TEST(choice, messages_per_edge_pay_where_longer_ones_may_not_go_through_memory) {
  const topology t = moore({2, 1, 1});
  const machine_costs c;
  const auto apart_pays = [&](std::uint64_t bytes, std::uint64_t longest) {
    return predicted(traffic_in(form::direct, t, bytes, true), "shm", c, longest) <
           predicted(traffic_in(form::coalesced, t, bytes, true), "shm", c, longest);
  };
  EXPECT_TRUE(apart_pays(32768, 130000));
  EXPECT_FALSE(apart_pays(32768, any_length));
  EXPECT_FALSE(apart_pays(1024, 130000));
  EXPECT_EQ(predicted(exchange(1, 200), "shm", c, 100), predicted(exchange(1, 200), "p2p", c, 100));
}

TEST(choice, takes_the_cheapest_and_says_why) {
  const std::vector<way> ways{
      {form::coalesced, "shm", 900}, {form::coalesced, "p2p", 400}, {form::combined, "shm", 2000}};
  EXPECT_EQ(cheapest(ways), 1u);
  EXPECT_EQ(reason_for(ways, 1),
            "predicted: coalesced p2p 400 ns; not coalesced shm 900 ns, combined shm 2 µs");
}

TEST(choice, priority_decides_between_equals) {
  const auto taken = [](double shm, double p2p) {
    return cheapest(std::vector<way>{{form::coalesced, "shm", shm}, {form::coalesced, "p2p", p2p}});
  };
  EXPECT_EQ(taken(420, 400), 0u);
  EXPECT_EQ(taken(450, 400), 1u);
  EXPECT_EQ(taken(-1, -1), 0u);
  EXPECT_EQ(taken(-1, 5), 1u) << "what has no price is taken only if nothing has";
  EXPECT_EQ(taken(0, 0), 0u);
}

TEST(choice, minima_of_words_are_maxima_of_prices) {
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

} // namespace
} // namespace tacit
