// The choice of a variant is a pure function: the same numbers, the same answer, and the reason with it.
#include "graphs/cost/price.h"
#include "neighbors/passes/choice.h"
#include "neighbors/passes/combine.h"
#include "neighbors/passes/edge_traffic.h"
#include "neighbors/passes/neighbor.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tacit::neighbors {
using graphs::machine_costs;
using graphs::message_group;
using graphs::pair_class;
using graphs::predicted;
using graphs::traffic;
using graphs::traffic_of;
namespace {

pair_class same_node(rank_id) {
  return pair_class::same_node;
}
pair_class other_node(rank_id) {
  return pair_class::other_node;
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

traffic traffic_in(grouping g, const topology& t, std::uint64_t bytes, const graphs::peer_class& class_of) {
  const rank_id me{0};
  const neighbor_blocks blocks = blocks_for(t, bytes);
  if (g == grouping::combined)
    return traffic_of(combined(t, me, blocks, false), class_of);
  std::uint32_t size = 1;
  for (const int d : t.shape.dims)
    size *= static_cast<std::uint32_t>(d);
  const neighborhood n = t.of(me);
  neighbor_passes passes;
  passes.coalesce = g == grouping::coalesced;
  return traffic_of(plan_neighbor(n, me, blocks, rotated_rounds(n, me, size), passes, true), class_of);
}

constexpr std::uint64_t any_length = std::numeric_limits<std::uint64_t>::max();

/// MPI packs what is scattered: two long messages are then cheaper than one, two short ones are not.
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
    const auto class_of = [](rank_id peer) {
      return index(peer) < 2 ? pair_class::same_node : pair_class::other_node;
    };
    const traffic counted = traffic_by_edge(n, rank_id{0}, blocks, passes, class_of);
    const traffic planned = traffic_of(
        plan_neighbor(n, rank_id{0}, blocks, rotated_rounds(n, rank_id{0}, 4), passes, true), class_of);
    const auto sum = [](const std::vector<message_group>& groups, pair_class between, bool scattered) {
      std::pair<std::uint64_t, std::uint64_t> s;
      for (const message_group& g : groups)
        if (g.between == between && g.scattered == scattered)
          s.first += g.count, s.second += g.count * g.bytes;
      return s;
    };
    for (const pair_class between : {pair_class::same_node, pair_class::other_node})
      for (const bool scattered : {true, false}) {
        EXPECT_EQ(sum(counted.sends, between, scattered), sum(planned.sends, between, scattered));
        EXPECT_EQ(sum(counted.receives, between, scattered), sum(planned.receives, between, scattered));
      }
    EXPECT_EQ(counted.pieces, planned.pieces);
    EXPECT_EQ(counted.rounds, planned.rounds);
  }
  // Edges to oneself are copies.
  const topology t = moore({2, 1, 1});
  const traffic counted =
      traffic_by_edge(t.of(rank_id{0}), rank_id{0}, blocks_for(t, 8), neighbor_passes(), same_node);
  const traffic planned = traffic_in(grouping::direct, t, 8, same_node);
  EXPECT_EQ(counted.copies, planned.copies);
  EXPECT_EQ(counted.copied_bytes, planned.copied_bytes);
  ASSERT_EQ(counted.sends.size(), 1u);
  EXPECT_EQ(counted.sends[0].count, planned.sends[0].count);
}

struct expectation {
  const char* what;
  std::vector<int> dims;
  std::uint64_t bytes;
  graphs::message_cost cost;
  grouping cheapest;
};

TEST(choice, of_groupings_between_nodes) {
  const graphs::message_cost fast{300, 1000, 0.1, 1}, tcp{2500, 20000, 0.8, 1}, low{100, 1000, 0.1, 1};
  const std::vector<expectation> table{
      {"26 short messages", {4, 4, 4}, 8, fast, grouping::combined},
      {"26 long messages", {4, 4, 4}, 1 << 20, fast, grouping::coalesced},
      {"three latencies, and bytes that travel thrice", {4, 4, 4}, 1024, low, grouping::coalesced},
      {"TCP", {4, 4, 4}, 256, tcp, grouping::combined},
      {"one neighbor has all blocks coalesced already", {2, 1, 1}, 8, fast, grouping::coalesced},
      {"seven neighbors", {2, 2, 2}, 8, fast, grouping::combined}};
  for (const expectation& e : table) {
    const topology t = moore(e.dims);
    std::vector<variant> variants;
    for (const grouping g : {grouping::coalesced, grouping::direct, grouping::combined})
      variants.push_back(
          {g, "p2p", predicted(traffic_in(g, t, e.bytes, other_node), "p2p", costs_of(e.cost), 0)});
    const std::size_t taken = cheapest(variants);
    EXPECT_EQ(variants[taken].blocks, e.cheapest) << e.what << ": " << reason_for(variants, taken);
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
    const double together =
        predicted(traffic_in(grouping::coalesced, t, many ? 1024 : 8, same_node), "p2p", c, 0);
    const double apart = predicted(traffic_in(grouping::direct, t, many ? 1024 : 8, same_node), "p2p", c, 0);
    EXPECT_EQ(apart < together, many);
  }
}

TEST(choice, messages_per_edge_pay_where_longer_ones_may_not_go_through_memory) {
  const topology t = moore({2, 1, 1});
  const machine_costs c;
  const auto apart_pays = [&](std::uint64_t bytes, std::uint64_t longest) {
    return predicted(traffic_in(grouping::direct, t, bytes, same_node), "shm", c, longest) <
           predicted(traffic_in(grouping::coalesced, t, bytes, same_node), "shm", c, longest);
  };
  EXPECT_TRUE(apart_pays(32768, 130000));
  EXPECT_FALSE(apart_pays(32768, any_length));
  EXPECT_FALSE(apart_pays(1024, 130000));
}

TEST(choice, takes_the_cheapest_and_says_why) {
  const std::vector<variant> variants{{grouping::coalesced, "shm", 900},
                                      {grouping::coalesced, "p2p", 400},
                                      {grouping::combined, "shm", 2000}};
  EXPECT_EQ(cheapest(variants), 1u);
  EXPECT_EQ(reason_for(variants, 1),
            "predicted: coalesced p2p 400 ns; not coalesced shm 900 ns, combined shm 2 µs");
}

TEST(choice, priority_decides_between_equals) {
  const auto taken = [](double shm, double p2p) {
    return cheapest(
        std::vector<variant>{{grouping::coalesced, "shm", shm}, {grouping::coalesced, "p2p", p2p}});
  };
  EXPECT_EQ(taken(420, 400), 0u);
  EXPECT_EQ(taken(450, 400), 1u);
  EXPECT_EQ(taken(-1, -1), 0u);
  EXPECT_EQ(taken(-1, 5), 1u) << "what has no price is taken only if nothing has";
  EXPECT_EQ(taken(0, 0), 0u);
}

} // namespace
} // namespace tacit::neighbors
