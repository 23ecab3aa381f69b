// Plans of random graphs and of every known algorithm: they validate, and the byte machine agrees with the
// graph. Then plans are damaged at random, and validation must notice whatever the byte machine notices.
#include "graphs/plan/plan_judge.h"

#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "graphs/plan/listed_blocks.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

plan_options policy_of(std::uint64_t seed) {
  return {seed % 3 == 0 ? sync_policy::keep_sync : sync_policy::data};
}

oracle::random_recipe recipe_of(std::uint64_t seed) {
  oracle::random_recipe recipe;
  recipe.opaques = seed % 4 == 0;
  recipe.one_sided = seed % 2 == 0;
  recipe.high_addresses = seed % 8 == 0;
  return recipe;
}

TEST(plan, random_graphs_replaced) {
  int replaced = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe_of(seed)));
    const plan_options options = policy_of(seed);
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, options);
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, options), "") << show(a.g, seed);
    ASSERT_EQ(judge(a, p, seed, 4, options.policy), "") << show(a.g, seed);
    replaced += !p.as_written;
  }
  EXPECT_GT(replaced, 700);
}

/// Computations amid other things: what does not concern them is replaced around them.
TEST(plan, random_graphs_with_computations) {
  int replaced = 0, beside = 0;
  const std::uint64_t first = oracle::fuzz_seed(), count = oracle::from_environment("TACIT_FUZZ_COUNT", 3000);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    oracle::random_recipe recipe = recipe_of(seed);
    recipe.opaques = true;
    recipe.one_sided = seed % 16 == 0;
    recipe.reductions = seed % 3 == 0;
    recipe.max_steps = seed % 5 == 0 ? 24 : 10;
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe));
    const plan_options options = policy_of(seed);
    const plan written = plan_as_written(a.g, a.m, a.o, reason::none, "");
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, written, options), "") << show(a.g, seed);
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, options);
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, options), "") << show(a.g, seed);
    ASSERT_EQ(judge(a, p, seed, 4, options.policy), "") << show(a.g, seed);
    replaced += !p.as_written;
    beside += !p.as_written && a.g.has_computations();
  }
  EXPECT_GT(replaced, count / 10);
  EXPECT_GT(beside, count / 30); // many random graphs keep orders
}

/// An alltoall of bytes that no computation touches is one, be the computation before, behind or beside it.
TEST(plan, computations_leave_alone_what_they_do_not_touch) {
  for (const bool waits : {false, true}) {
    graph g(4);
    for (std::uint32_t me = 0; me < 4; ++me) {
      const segment inside{0x5000, 64};
      std::vector<op_id> received;
      for (std::uint32_t peer = 0; peer < 4; ++peer) {
        if (peer == me)
          continue;
        g.send(rank_id{me}, segment{0x1000 + peer * 8, 8}, rank_id{peer}, 0);
        received.push_back(g.recv(rank_id{me}, segment{0x2000 + peer * 8, 8}, rank_id{peer}, 0));
      }
      const op_id computed = g.opaque(rank_id{me}, std::span(&inside, 1), std::span(&inside, 1));
      if (waits)
        g.depend(received.front(), computed);
    }
    const analyzed a = analyze_all(std::move(g));
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f);
    EXPECT_EQ(p.as_written, false) << p.detail;
    EXPECT_EQ(validate(a.g, a.m, a.o, a.t, p), "");
    EXPECT_EQ(judge(a, p, 1, 8), "");
    std::size_t messages_kept = 0;
    for (const op_id op : a.t.kept_operations)
      messages_kept += a.g[op].kind == op_kind::send;
    EXPECT_EQ(messages_kept, waits ? 4u : 0u) << "those that a computation waits for";
  }
}

TEST(plan, random_graphs_with_reductions) {
  int replaced = 0, beside = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    oracle::random_recipe recipe = recipe_of(seed);
    recipe.opaques = false;
    recipe.reductions = true;
    recipe.max_steps = seed % 3 == 0 ? 24 : 10;
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe));
    const plan_options options = policy_of(seed);
    const plan written = plan_as_written(a.g, a.m, a.o, reason::none, "");
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, written, options), "") << show(a.g, seed);
    ASSERT_EQ(judge(a, written, seed, 4, options.policy), "") << show(a.g, seed);
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, options);
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, options), "") << show(a.g, seed);
    ASSERT_EQ(judge(a, p, seed, 4, options.policy), "") << show(a.g, seed);
    replaced += !p.as_written;
    beside += !p.as_written && !a.t.kept_operations.empty();
  }
  EXPECT_GT(replaced, 700);
  EXPECT_GT(beside, 300);
}

/// Small enough for all orders of what their steps do: two to four ranks.
TEST(plan, small_ones_in_every_order) {
  int whole = 0, replaced = 0;
  std::uint64_t seed = oracle::fuzz_seed();
  const std::uint64_t end = seed + oracle::from_environment("TACIT_FUZZ_COUNT", 150);
  for (; seed < end; ++seed) {
    oracle::random_recipe recipe = recipe_of(seed);
    recipe.min_ranks = 2;
    recipe.max_ranks = 4;
    recipe.max_steps = 5;
    recipe.opaques = seed % 4 == 0;
    recipe.reductions = seed % 3 == 1;
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe));
    const plan_options options = policy_of(seed);
    for (const plan& p :
         {make_plan(a.g, a.m, a.o, a.t, a.f, options), plan_as_written(a.g, a.m, a.o, reason::none, "")}) {
      bool all = true;
      ASSERT_EQ(judge_every_order(a, p, 5'000, all), "") << show(a.g, seed);
      whole += all;
      replaced += all && !p.as_written;
    }
  }
  RecordProperty("plans", whole);
  EXPECT_GT(whole, 100);
  EXPECT_GT(replaced, 30);
}

TEST(plan, known_algorithms_and_what_replaces_them_in_every_order) {
  int whole = 0;
  for (const known_algorithm& k : known_algorithms())
    for (std::uint32_t ranks = 2; ranks <= 4; ++ranks) {
      diagnostics problems;
      const auto g =
          generate({.kind = k.kind, .form = k.form, .ranks = ranks, .block = 2, .segments = 2}, problems);
      if (!g)
        continue;
      const analyzed a = analyze_all(*g);
      for (const plan& p :
           {make_plan(a.g, a.m, a.o, a.t, a.f), plan_as_written(a.g, a.m, a.o, reason::none, "")}) {
        bool all = true;
        ASSERT_EQ(judge_every_order(a, p, 10'000, all), "") << k.what << " on " << ranks;
        whole += all;
      }
    }
  EXPECT_GT(whole, 20);
}

/// The last user byte and the first scratch byte of a list of pieces are no neighbors.
TEST(plan, user_memory_that_ends_at_the_border) {
  constexpr std::uint64_t top = user_memory_end - 8;
  graph g(2);
  const rank_id r0{0}, r1{1};
  const segment swapped{0x100, 8}, both[] = {{top, 8}, swapped};
  g.send(r0, both, r1); // the second piece is overwritten, so the plan sends it from scratch memory
  g.recv(r0, swapped, r1, 1);
  g.send(r1, segment{0x300, 8}, r0, 1);
  g.recv(r1, segment{0x200, 16}, r0);
  g.depend(op_id{0}, op_id{1});
  const analyzed a = analyze_all(g);
  const plan p = make_plan(a.g, a.m, a.o, a.t, a.f);
  EXPECT_FALSE(p.as_written) << p.detail;
  EXPECT_GT(p.ranks[0].scratch_bytes, 0u);
  EXPECT_EQ(validate(a.g, a.m, a.o, a.t, p), "");
  EXPECT_EQ(judge(a, p, 1, 8), "");
}

TEST(plan, random_graphs_that_end_at_the_border) {
  int replaced = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    oracle::random_recipe recipe = recipe_of(seed);
    recipe.at_border = true;
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe));
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, policy_of(seed));
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, policy_of(seed)), "") << show(a.g, seed);
    ASSERT_EQ(judge(a, p, seed, 4, policy_of(seed).policy), "") << show(a.g, seed);
    replaced += !p.as_written;
  }
  EXPECT_GT(replaced, 200);
}

TEST(plan, user_memory_beyond_the_border_runs_as_written) {
  graph g(2);
  const rank_id r0{0}, r1{1};
  g.send(r0, segment{0x100, 8}, r1);
  g.recv(r1, segment{0x200, 8}, r0);
  graph live = g, moved = g;
  live.live_out(r1, {0x200, 8});
  live.live_out(r0, {user_memory_end - 4, 8});
  moved.send(r1, segment{user_memory_end - 4, 8}, r0);
  moved.recv(r0, segment{0x300, 8}, r1);
  for (const graph& high : {live, moved}) {
    const analyzed a = analyze_all(high);
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f);
    EXPECT_EQ(p.why_as_written, reason::frame);
    EXPECT_EQ(validate(a.g, a.m, a.o, a.t, p), "");
  }
}

TEST(plan, random_graphs_as_written) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe_of(seed)), false);
    const plan p = plan_as_written(a.g, a.m, a.o, reason::none, {});
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, policy_of(seed)), "") << show(a.g, seed);
    ASSERT_EQ(judge(a, p, seed, 4, policy_of(seed).policy), "") << show(a.g, seed);
  }
}

graph known(const known_algorithm& what, std::uint32_t ranks, std::uint32_t extra, std::uint64_t seed) {
  recipe r;
  r.kind = what.kind;
  r.form = what.form;
  r.ranks = ranks;
  r.block = 3 + seed % 5;
  r.root = static_cast<std::uint32_t>(seed % ranks);
  r.segments = 2;
  r.self_block = seed % 2 == 0;
  r.extra = extra;
  r.extra_kind = seed % 2 == 0 ? extra_messages::disjoint : extra_messages::dependent;
  r.extra_bytes = 5;
  r.seed = seed;
  diagnostics problems;
  auto g = generate(r, problems);
  return g ? std::move(*g) : graph(ranks);
}

TEST(plan, every_known_algorithm) {
  std::uint64_t seed = 0;
  for (const known_algorithm& what : known_algorithms())
    for (std::uint32_t ranks = 1; ranks <= 9; ++ranks) {
      const analyzed a = analyze_all(known(what, ranks, ranks % 3 * 2, ++seed));
      const plan_options options = policy_of(seed);
      const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, options);
      EXPECT_FALSE(p.as_written) << p.detail;
      ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, options), "") << show(a.g, seed);
      ASSERT_EQ(judge(a, p, seed, 2, options.policy), "") << show(a.g, seed);
      if (ranks < 3 || a.g.size() == 0) // no butterfly on this number of ranks
        continue;
      bool used = false;
      for (const step& s : p.ranks[0].steps)
        used = used || s.kind == step_kind::collective;
      EXPECT_TRUE(used) << name(what.kind) << " " << name(what.form) << " on " << ranks;
    }
}

// --- damaged plans ---

class vandal {
public:
  explicit vandal(std::uint64_t seed) : random_(seed) {}

  /// Does one random damage; names it, or returns nothing if this plan has no such place.
  std::string damage(plan& p, std::uint32_t communicators) {
    rank_plan& r = p.ranks[pick(p.ranks.size())];
    if (r.steps.empty())
      return {};
    const std::size_t at = pick(r.steps.size());
    step& s = r.steps[at];
    switch (pick(13)) {
    case 0:
      r.steps.erase(r.steps.begin() + static_cast<std::ptrdiff_t>(at));
      return "step removed";
    case 1:
      r.steps.push_back(s);
      return "step doubled";
    case 2:
      return shift(s.reads, "reads moved");
    case 3:
      return shift(s.writes, "writes moved");
    case 4:
      return resize(s.reads, "reads resized");
    case 5:
      return resize(s.writes, "writes resized");
    case 6:
      if (s.after.empty())
        return {};
      s.after.erase(s.after.begin() + static_cast<std::ptrdiff_t>(pick(s.after.size())));
      return "dependency removed";
    case 7:
      s.peer = rank_id{static_cast<std::uint32_t>(pick(p.ranks.size() + 1))};
      return "peer changed";
    case 8:
      s.tag += static_cast<int>(pick(3)) - 1;
      return "tag changed";
    case 9:
      s.comm = comm_id{static_cast<std::uint16_t>(pick(communicators + 1))};
      return "communicator changed";
    case 10:
      return damage_block(s.sends, "block sent damaged");
    case 11:
      return damage_block(s.receives, "block received damaged");
    default:
      s.after.push_back(static_cast<std::uint32_t>(pick(r.steps.size())));
      return "dependency added";
    }
  }

private:
  std::size_t pick(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  std::string shift(segment_list& list, const char* what) {
    if (list.empty())
      return {};
    list[pick(list.size())].address += random_() % 2 == 0 ? 1 : std::uint64_t(0) - 1;
    return what;
  }
  std::string resize(segment_list& list, const char* what) {
    if (list.empty())
      return {};
    list[pick(list.size())].length += random_() % 2 == 0 ? 1 : std::uint64_t(0) - 1;
    return what;
  }
  std::string damage_block(block_list& blocks, const char* what) {
    if (blocks.empty())
      return {};
    if (pick(3) == 0)
      return damage_run(blocks.runs()[pick(blocks.runs().size())], what);
    change_blocks(blocks, [&](std::vector<listed_block>& list) {
      listed_block& b = list[pick(list.size())];
      switch (pick(4)) {
      case 0:
        list.erase(list.begin() + (&b - list.data()));
        break;
      case 1:
        shift(b.bytes, what);
        break;
      case 2:
        resize(b.bytes, what);
        break;
      default:
        std::swap(b.peer, list[pick(list.size())].peer);
        break;
      }
    });
    return what;
  }
  /// Blocks in a row, as a whole.
  std::string damage_run(block_run& run, const char* what) {
    switch (pick(4)) {
    case 0:
      return shift(run.bytes, what);
    case 1:
      return resize(run.bytes, what);
    case 2:
      run.peer = rank_id{static_cast<std::uint32_t>(index(run.peer)) + (pick(2) == 0 ? 1 : ~0u)};
      return what;
    default:
      if (run.count == 1)
        return {};
      run.count += pick(2) == 0 ? 1 : -1;
      return what;
    }
  }
  std::mt19937_64 random_;
};

TEST(plan, of_more_ranks_than_can_be_compared_is_no_fault) {
  recipe r;
  r.kind = pattern::bcast;
  r.form = algorithm::binomial;
  r.ranks = 32769;
  r.block = 8;
  diagnostics problems;
  const graph g = *generate(r, problems);
  compile_options options;
  EXPECT_FALSE(compile(g, options).schedule.as_written);
  options.planning.policy = sync_policy::keep_sync;
  const compilation kept = compile(g, options);
  EXPECT_TRUE(kept.schedule.as_written);
  EXPECT_EQ(kept.schedule.why_as_written, reason::synchronization);
  EXPECT_TRUE(kept.problems.empty());
}

struct damaged_plans {
  int damaged = 0, caught = 0;
};

/// Some damage does no harm (a dependency that nothing needs); then the byte machine must find nothing either.
template <typename MakeGraph>
damaged_plans damage_plans(std::uint64_t seeds, MakeGraph&& make) {
  damaged_plans out;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const analyzed a = analyze_all(make(seed));
    const plan_options options = policy_of(seed);
    plan p = make_plan(a.g, a.m, a.o, a.t, a.f, options);
    if (p.as_written)
      continue;
    vandal hand(seed);
    const std::string done = hand.damage(p, static_cast<std::uint32_t>(a.g.communicators().size()));
    if (done.empty())
      continue;
    ++out.damaged;
    if (!validate(a.g, a.m, a.o, a.t, p, options).empty()) {
      ++out.caught;
      continue;
    }
    const std::string fault = judge(a, p, seed, 12, options.policy);
    EXPECT_EQ(fault, "") << done << " was not noticed\n" << show(a.g, seed);
    if (!fault.empty())
      break;
  }
  return out;
}

TEST(plan, damaged_plans_are_caught) {
  const auto algorithms = known_algorithms();
  const damaged_plans seen = damage_plans(2500, [&](std::uint64_t seed) {
    return seed % 2 == 0 ? oracle::random_graph(seed, recipe_of(seed | 1))
                         : known(algorithms[seed % algorithms.size()],
                                 3 + static_cast<std::uint32_t>(seed % 4), 3, seed);
  });
  RecordProperty("damaged", seen.damaged);
  RecordProperty("caught", seen.caught);
  EXPECT_GT(seen.damaged, 800);
  EXPECT_GT(seen.caught, seen.damaged * 6 / 10);
}

TEST(plan, damaged_plans_with_computations_are_caught) {
  const damaged_plans seen = damage_plans(4000, [](std::uint64_t seed) {
    oracle::random_recipe recipe = recipe_of(seed);
    recipe.one_sided = false;
    recipe.opaques = true;
    recipe.reductions = seed % 5 == 0;
    return oracle::random_graph(seed, recipe);
  });
  RecordProperty("damaged", seen.damaged);
  RecordProperty("caught", seen.caught);
  EXPECT_GT(seen.damaged, 400);
  EXPECT_GT(seen.caught, seen.damaged * 5 / 10);
}

} // namespace
} // namespace tacit::test
