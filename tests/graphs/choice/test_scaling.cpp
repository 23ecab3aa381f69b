// A graph is followed to other numbers of ranks if it is a known algorithm, and only then.
#include "graphs/choice/scaling.h"

#include "graphs/compile/compile.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tacit;
using namespace tacit::graphs;

namespace {

std::optional<recipe> recognised(const graph& g) {
  compile_options options;
  options.make_plan = false;
  const compilation c = compile(g, options);
  return recipe_of(g, c.found);
}

constexpr std::string_view by_messages[] = {"p2p"};

double price(const scaled_prices& all, algorithm form) {
  for (const form_price& one : all.forms)
    if (one.form == form)
      return one.ns;
  return -2;
}

} // namespace

TEST(scaling, every_known_algorithm_is_recognised) {
  for (const known_algorithm& known : known_algorithms())
    for (const std::uint32_t p : {7u, 8u, 16u})
      for (const bool self : {false, true}) {
        if (known.kind == pattern::barrier)
          continue; // its size is not a block's
        recipe r{.kind = known.kind, .form = known.form, .ranks = p, .block = 96, .self_block = self};
        r.root =
            known.kind == pattern::bcast || known.kind == pattern::scatter || known.kind == pattern::gather
                ? 2
                : 0;
        diagnostics problems;
        const auto g = generate(r, problems);
        if (!g)
          continue; // butterflies need a power of two
        const auto found = recognised(*g);
        ASSERT_TRUE(found) << name(known.kind) << ' ' << name(known.form) << " on " << p;
        diagnostics none;
        r = *found; // perhaps of another name that makes the same graph
        const auto again = generate(r, none);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->size(), g->size());
        EXPECT_EQ(found->kind, known.kind);
        // On a power of two the butterfly of an allgather is recursive doubling.
        EXPECT_EQ(found->form, known.kind == pattern::allgather && known.form == algorithm::butterfly
                                   ? algorithm::recursive_doubling
                                   : known.form)
            << name(known.kind) << ' ' << name(known.form) << " on " << p;
      }
}

TEST(scaling, every_known_algorithm_that_combines_is_recognised) {
  for (const known_algorithm& known : combining_algorithms())
    for (const std::uint32_t p : {7u, 8u, 16u}) {
      recipe r{.kind = known.kind, .form = known.form, .ranks = p, .block = 96};
      r.root = known.kind == pattern::reduce ? 2 : 0;
      r.by = {"sum", "int", 4, true, false, true};
      diagnostics problems;
      const auto g = generate(r, problems);
      if (!g)
        continue; // recursive halving needs a power of two
      const auto found = recognised(*g);
      ASSERT_TRUE(found) << name(known.kind) << ' ' << name(known.form) << " on " << p;
      EXPECT_EQ(found->kind, known.kind);
      EXPECT_EQ(found->form, known.form) << name(known.kind) << " on " << p;
    }
}

TEST(scaling, a_graph_that_is_nearly_one_is_not_recognised) {
  diagnostics problems;
  graph extra = *generate({.kind = pattern::bcast, .form = algorithm::binomial, .ranks = 8}, problems);
  extra.depend(op_id{0}, extra.copy(rank_id{0}, std::vector<segment>{{0x1000, 64}},
                                    std::vector<segment>{{0x9000, 64}}));
  EXPECT_FALSE(recognised(extra));

  graph other(4); // a broadcast by a tree that nobody has named
  const segment block{0x1000, 64};
  other.send(rank_id{0}, block, rank_id{3});
  const op_id got = other.recv(rank_id{3}, block, rank_id{0});
  for (const std::uint32_t to : {1u, 2u}) {
    other.depend(got, other.send(rank_id{3}, block, rank_id{to}));
    other.recv(rank_id{to}, block, rank_id{3});
  }
  EXPECT_FALSE(recognised(other));
}

TEST(scaling, prices_follow_the_shapes_of_algorithms) {
  const machine_costs costs =
      costs_of(message_cost{.overhead = 300, .latency = 1000, .byte = 0.1, .node_share = 1});
  const recipe r{.kind = pattern::bcast, .form = algorithm::linear, .block = 8};
  const auto at = [&](std::uint32_t p, algorithm form) {
    return price(prices_on(r, p, costs, {}, by_messages, 200'000), form);
  };
  // The root is busy with each message of a star; a tree doubles who has the block in each round.
  EXPECT_NEAR(at(1024, algorithm::linear) / at(256, algorithm::linear), 4.0, 0.3);
  const double round = at(256, algorithm::binomial) / 8;
  EXPECT_NEAR(at(65536, algorithm::binomial) / round, 16, 1);
  EXPECT_NEAR(at(1024, algorithm::ring) / at(128, algorithm::ring), 1023.0 / 127, 0.3);
  EXPECT_GT(at(1024, algorithm::linear), 5 * at(1024, algorithm::binomial));
}

/// Half as many as a power of the number of ranks would say that fits 32 and 64 ranks.
TEST(scaling, logarithms_are_no_powers) {
  const recipe doubling{
      .kind = pattern::allreduce, .form = algorithm::recursive_doubling, .ranks = 8, .block = 8};
  constexpr std::uint32_t ranks = 8192;
  constexpr std::uint64_t messages = ranks * 13;
  const scaled_prices all = prices_on(doubling, ranks, {}, {}, by_messages, messages * 5 / 4);
  EXPECT_GT(price(all, algorithm::recursive_doubling), 0);
}

TEST(scaling, what_is_too_large_is_said_and_not_played) {
  const recipe r{.kind = pattern::alltoall, .form = algorithm::linear, .block = 8};
  const scaled_prices many = prices_on(r, 16384, {}, {}, by_messages, 100'000);
  for (const form_price& one : many.forms) {
    EXPECT_TRUE(one.at_least) << name(one.form);
    EXPECT_GT(one.ns, 0) << name(one.form);
    EXPECT_NE(one.why.find("too many"), std::string::npos) << name(one.form) << ": " << one.why;
  }
  const scaled_prices odd = prices_on(r, 100, {}, {}, by_messages, 100'000);
  EXPECT_EQ(odd.forms.size(), many.forms.size());
  EXPECT_LT(price(odd, algorithm::butterfly), 0); // needs a power of two
  EXPECT_GT(price(odd, algorithm::bruck), 0);
}

/// Their messages are few, and each has half of all blocks: on 65,536 ranks they take more memory than there is.
TEST(scaling, messages_of_many_pieces_are_not_played) {
  const recipe bruck{.kind = pattern::alltoall, .form = algorithm::bruck, .block = 8};
  const scaled_prices many = prices_on(bruck, 2048, {}, {}, by_messages, 100'000);
  for (const form_price& one : many.forms)
    EXPECT_NE(one.why.find("too many"), std::string::npos) << name(one.form) << ": " << one.why;
  EXPECT_NE(many.forms.size(), 0u);
  EXPECT_GT(price(prices_on(bruck, 64, {}, {}, by_messages, 100'000), algorithm::bruck), 0);
}

/// What is not played has a bound: no more than what it takes where it can be played, and what grows with the ranks as it does.
TEST(scaling, bounds_take_the_place_of_what_is_not_played) {
  for (const known_algorithm& known : known_algorithms()) {
    const recipe r{.kind = known.kind, .form = known.form, .block = 512};
    for (const std::uint32_t ranks : {40u, 64u}) {
      const double played = price(prices_on(r, ranks, {}, {}, by_messages), known.form);
      for (const form_price& one : prices_on(r, ranks, {}, {}, by_messages, 10).forms)
        if (one.form == known.form && one.at_least) {
          EXPECT_LE(one.ns, played) << name(known.kind) << ' ' << name(known.form);
          EXPECT_EQ(one.ns < 0, played < 0) << name(known.kind) << ' ' << name(known.form);
        }
    }
  }
  const recipe linear{.kind = pattern::alltoall, .form = algorithm::linear, .block = 4096};
  const double some = price(prices_on(linear, 128, {}, {}, by_messages), algorithm::linear),
               many = price(prices_on(linear, 65536, {}, {}, by_messages), algorithm::linear);
  EXPECT_NEAR(many / some, 512, 128);
}

TEST(scaling, the_cheapest_driver_is_taken) {
  const recipe r{.kind = pattern::alltoall, .form = algorithm::linear, .block = 64};
  const machine_costs costs;
  constexpr std::string_view both[] = {"p2p", "shm"}, memory[] = {"shm"};
  const auto by = [&](std::span<const std::string_view> drivers) {
    return price(prices_on(r, 16, costs, {16, 16}, drivers), algorithm::linear);
  };
  ASSERT_GT(by(memory), 0);
  EXPECT_EQ(by(both), std::min(by(memory), by(by_messages)));
}
