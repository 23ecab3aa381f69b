// The short way to validate: it must be taken by nearly all plans, and never by a wrong one. (Damaged plans in test_plan.cpp go
// through it, too, and are judged by the byte machine.)
#include "graphs/plan/plan_judge.h"

#include "graphs/generate/generate.h"
#include "graphs/plan/at_once.h"
#include "graphs/plan/listed_blocks.h"
#include "graphs/plan/shape.h"
#include "graphs/plan/synchronization.h"
#include "oracle/random_graph.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

bool right_at_once(const analyzed& a, const plan& p) {
  return is_right_at_once(a.g, a.t, p);
}

TEST(at_once, known_algorithms) {
  for (const known_algorithm& what : known_algorithms())
    for (std::uint32_t ranks = 2; ranks <= 9; ++ranks) {
      diagnostics problems;
      auto made = generate(
          {.kind = what.kind, .form = what.form, .ranks = ranks, .block = 5, .root = ranks / 2}, problems);
      if (!made || made->has_empty_sends() || made->has_reductions() || made->size() == 0)
        continue;
      const analyzed a = analyze_all(std::move(*made));
      EXPECT_TRUE(right_at_once(a, make_plan(a.g, a.m, a.o, a.t, a.f)))
          << name(what.kind) << " " << name(what.form) << " on " << ranks;
    }
}

TEST(at_once, random_graphs) {
  int replaced = 0, right = 0;
  for (std::uint64_t seed = 1; seed <= 800; ++seed) {
    oracle::random_recipe recipe;
    recipe.opaques = false;
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe));
    if (keeps_orders(a.g, sync_policy::data))
      continue;
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f);
    replaced += !p.as_written;
    if (p.as_written || !right_at_once(a, p))
      continue;
    ++right;
    ASSERT_EQ(judge(a, p, seed, 4), "") << show(a.g, seed);
  }
  EXPECT_GT(replaced, 50);
  EXPECT_EQ(right, replaced);
}

/// Two ranks that exchange 8 bytes at 0x100, so that both are copied aside first, and get 8 more at 0x300.
analyzed exchange() {
  graph g(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const rank_id me{r}, other{1 - r};
    const segment out[] = {{0x100, 8}, {0x200, 8}}, in[] = {{0x100, 8}, {0x300, 8}};
    const segment aside{0x900, 8}, own{0x100, 8};
    const op_id saved = g.copy(me, std::span(&own, 1), std::span(&aside, 1));
    const segment sent[] = {aside, out[1]};
    const op_id send = g.send(me, sent, other);
    g.depend(saved, send);
    const op_id receive = g.recv(me, in, other);
    g.depend(saved, receive);
    g.scratch(me, aside);
  }
  return analyze_all(std::move(g), false);
}

TEST(at_once, what_is_overwritten_is_copied_aside_first) {
  const analyzed a = exchange();
  const plan right = make_plan(a.g, a.m, a.o, a.t, a.f);
  ASSERT_EQ(right.ranks[0].steps.size(), 3u);
  EXPECT_TRUE(right_at_once(a, right));
  const auto wrong = [&](auto&& damage) {
    plan p = right;
    damage(p.ranks[0]);
    return !right_at_once(a, p) && !validate(a.g, a.m, a.o, a.t, p).empty();
  };
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[1].after.clear(); })); // may send before the copy
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[2].after.clear(); })); // may overwrite before the copy
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[1].reads.front().address = 0x100; })); // not what was copied
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[1].reads.front().address += 4; }));    // beyond it
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[2].writes.back().address = 0x200; })); // what is being sent
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[2].writes.back().address = 0x104; })); // written twice
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[2].writes.back().address = 0x304; })); // beside the frame
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps.pop_back(); }));                       // never received
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps.push_back(r.steps[1]); }));            // sent twice
  EXPECT_TRUE(wrong([](rank_plan& r) { r.steps[1].tag = 5; }));                       // to nobody
}

TEST(at_once, scratch_memory_that_arrives_is_not_what_was_copied_aside) {
  const analyzed a = exchange();
  plan p = make_plan(a.g, a.m, a.o, a.t, a.f);
  rank_plan& r = p.ranks[0];
  r.scratch_bytes += 8;
  r.steps[2].writes.back().address = scratch_base + 4; // over bytes that are still to be sent
  EXPECT_FALSE(right_at_once(a, p));
  EXPECT_NE(validate(a.g, a.m, a.o, a.t, p), "");
}

TEST(at_once, a_broadcast_reaches_every_member_once) {
  diagnostics problems;
  const analyzed a = analyze_all(
      *generate({.kind = pattern::bcast, .form = algorithm::linear, .ranks = 5, .block = 16}, problems));
  const plan right = make_plan(a.g, a.m, a.o, a.t, a.f);
  EXPECT_TRUE(right_at_once(a, right));
  plan lost = right, elsewhere = right, shorter = right;
  lost.ranks[3].steps.front().receives.clear();
  EXPECT_FALSE(right_at_once(a, lost));
  elsewhere.ranks[3].steps.front().receives.runs().front().bytes.front().address += 1;
  EXPECT_FALSE(right_at_once(a, elsewhere));
  shorter.ranks[3].steps.front().receives.runs().front().bytes.front().length -= 1;
  EXPECT_FALSE(right_at_once(a, shorter));
}

TEST(at_once, each_block_of_a_pair_is_received_once) {
  diagnostics problems;
  const analyzed a = analyze_all(
      *generate({.kind = pattern::alltoall, .form = algorithm::linear, .ranks = 5, .block = 16}, problems));
  const plan right = make_plan(a.g, a.m, a.o, a.t, a.f);
  EXPECT_TRUE(right_at_once(a, right));
  const auto accepts = [&](block_list step::* blocks, auto&& change) {
    plan p = right;
    change_blocks(p.ranks[3].steps.front().*blocks, change);
    return right_at_once(a, p);
  };
  using list = std::vector<listed_block>;
  const auto sends = &step::sends, receives = &step::receives;
  EXPECT_TRUE(accepts(sends, [](list&) {}));
  EXPECT_TRUE(accepts(sends, [](list& l) { std::swap(l[0], l[2]); })); // in whatever order they stand
  EXPECT_TRUE(accepts(receives, [](list& l) { std::swap(l[0], l[2]); }));
  EXPECT_FALSE(accepts(sends, [](list& l) { std::swap(l[0].peer, l[2].peer); })); // to another rank
  EXPECT_FALSE(accepts(sends, [](list& l) { std::swap(l[0].bytes, l[2].bytes); }));
  EXPECT_FALSE(accepts(receives, [](list& l) { std::swap(l[0].peer, l[2].peer); }));
  EXPECT_FALSE(accepts(receives, [](list& l) { l.pop_back(); })); // never received
  EXPECT_FALSE(accepts(receives, [](list& l) { l[0].bytes.clear(); }));
  EXPECT_FALSE(accepts(sends, [](list& l) { l.pop_back(); })); // never sent
  EXPECT_FALSE(accepts(sends, [](list& l) { l[1].bytes.clear(); }));
  EXPECT_FALSE(accepts(receives, [](list& l) { l[0] = l[1]; })); // twice from one rank
  EXPECT_FALSE(accepts(sends, [](list& l) { l[1].bytes.front().address += 1; }));
}

TEST(at_once, of_blocks_in_a_row_each_counts) {
  diagnostics problems;
  const analyzed a = analyze_all(
      *generate({.kind = pattern::alltoall, .form = algorithm::linear, .ranks = 5, .block = 16}, problems));
  const plan right = make_plan(a.g, a.m, a.o, a.t, a.f);
  const auto accepts = [&](block_list step::* blocks, auto&& change) {
    plan p = right;
    change((p.ranks[2].steps.front().*blocks).runs());
    return check_shape(a.g, p).empty() && right_at_once(a, p);
  };
  for (block_list step::* const blocks : {&step::sends, &step::receives}) {
    ASSERT_EQ((right.ranks[2].steps.front().*blocks).runs().size(), 2u); // before and behind the own one
    EXPECT_FALSE(accepts(blocks, [](std::span<block_run> runs) { --runs[0].count; }));
    EXPECT_FALSE(accepts(blocks, [](std::span<block_run> runs) { ++runs[1].count; }));
    EXPECT_FALSE(accepts(blocks, [](std::span<block_run> runs) { runs[1].bytes.front().length -= 1; }));
    EXPECT_FALSE(accepts(blocks, [](std::span<block_run> runs) { runs[1].bytes.front().address += 16; }));
    EXPECT_FALSE(accepts(blocks, [](std::span<block_run> runs) { runs[0].peer = rank_id{3}; }));
    EXPECT_FALSE(accepts(blocks, [](std::span<block_run> runs) { std::swap(runs[0].bytes, runs[1].bytes); }));
  }
}

} // namespace
} // namespace tacit::test
