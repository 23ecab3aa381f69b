// Stages: random graphs one after the other are cut where they were joined, and what their plans do one after the other is what the
// joined graph does, on the byte machine.
#include "graphs/plan/plan_judge.h"
#include "graphs/plan/sequence.h"

#include "graphs/choice/choose.h"
#include "graphs/choice/generated_form.h"
#include "graphs/compile/compile.h"
#include "graphs/compile/stages.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace tacit::test {

using namespace graphs;
namespace {

constexpr segment at(std::uint64_t address, std::uint64_t length) {
  return {address, length};
}

oracle::random_recipe without_epochs(std::uint64_t seed) {
  oracle::random_recipe recipe;
  recipe.opaques = seed % 3 == 0;
  recipe.reductions = seed % 2 == 0;
  recipe.one_sided = false;
  return recipe;
}

/// Random graphs, all of as many ranks as the first.
sequence random_sequence(std::uint64_t seed, std::uint32_t parts) {
  const graph first = oracle::random_graph(seed, without_epochs(seed));
  sequence all(first.ranks());
  all.append(first);
  for (std::uint64_t next = seed + 1'000'000; parts > 1; ++next) {
    const graph g = oracle::random_graph(next, without_epochs(seed));
    if (g.ranks() != first.ranks())
      continue;
    all.mark();
    all.append(g);
    if (--parts == 1)
      all.declare_as(g);
  }
  return all;
}

compile_options staged_options(std::uint64_t seed) {
  compile_options options;
  options.planning.policy = seed % 5 == 0 ? sync_policy::keep_sync : sync_policy::data;
  return options;
}

std::int32_t collectives_of(const plan& p) {
  std::set<std::int32_t> numbers;
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective)
        numbers.insert(s.tag);
  EXPECT_TRUE(numbers.empty() || *numbers.rbegin() + 1 == static_cast<std::int32_t>(numbers.size()))
      << "some numbers are left out";
  return static_cast<std::int32_t>(numbers.size());
}

TEST(stages, random_graphs_one_after_the_other) {
  std::uint64_t replaced = 0, with_computations = 0, declined = 0, validated = 0;
  std::int32_t collectives = 0;
  const std::uint64_t first = oracle::fuzz_seed(), count = oracle::fuzz_count();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto parts = static_cast<std::uint32_t>(2 + seed % 3);
    const compile_options options = staged_options(seed);
    const graph g = random_sequence(seed, parts).g();
    const compilation c = compile(g, options);
    ASSERT_FALSE(has_errors(c.problems)) << show(g, seed);
    if (c.in_stages.stages.empty()) { // some rank has a copy of nothing that looks like a mark
      ASSERT_NE(cut_in_stages(g, c.matched).why_not, "") << show(g, seed);
      ++declined;
      continue;
    }
    ASSERT_GE(c.in_stages.stages.size(), parts) << show(g, seed);
    const plan& p = c.in_stages.schedule;
    if (p.ranks.empty())
      continue;
    ++replaced;
    collectives += collectives_of(p);
    const analyzed a = analyze_all(with_groups(g, c.groups));
    ASSERT_EQ(judge(a, p, seed, 4, options.planning.policy), "") << show(g, seed);
    with_computations += std::any_of(g.operations().begin(), g.operations().end(),
                                     [](const operation& o) { return o.kind == op_kind::opaque; });
    // A graph as written may have receives that are longer than their messages.
    if (std::none_of(c.in_stages.stages.begin(), c.in_stages.stages.end(),
                     [](const stage& s) { return s.as_written; })) {
      ++validated;
      ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, options.planning), "") << show(g, seed);
    }
  }
  EXPECT_GT(replaced, count / 4);
  EXPECT_GT(with_computations, count / 40);
  EXPECT_GT(validated, count / 8);
  EXPECT_GT(collectives, 0);
  EXPECT_LT(declined, count / 5);
}

/// The mark of one rank loses an edge, or a message crosses it.
TEST(stages, what_looks_like_one_and_is_none) {
  const auto stages_of = [](const graph& g) {
    diagnostics problems;
    const matching m = match(g, problems);
    EXPECT_FALSE(has_errors(problems));
    return cut_in_stages(g, m).stages;
  };
  const auto graph_with = [](bool before, bool after, bool crossing) {
    graph g(2);
    const rank_id r0{0}, r1{1};
    const op_id s0 = g.send(r0, at(0, 8), r1, 0), m0 = g.copy(r0, {}, {}), t0 = g.send(r0, at(8, 8), r1, 1);
    const op_id s1 = g.recv(r1, at(0, 8), r0, crossing ? 1 : 0), m1 = g.copy(r1, {}, {}),
                t1 = g.recv(r1, at(8, 8), r0, crossing ? 0 : 1);
    if (before)
      g.depend(s0, m0);
    if (after)
      g.depend(m0, t0);
    g.depend(s1, m1);
    g.depend(m1, t1);
    return g;
  };
  EXPECT_EQ(stages_of(graph_with(true, true, false)), 2u);
  EXPECT_EQ(stages_of(graph_with(false, true, false)), 1u);
  EXPECT_EQ(stages_of(graph_with(true, false, false)), 1u);
  EXPECT_EQ(stages_of(graph_with(true, true, true)), 1u);
}

/// Two transposes of a pencil decomposition on a grid of ranks: an alltoall in each row, then one in each column.
graph pencil(std::uint32_t side, bool computes) {
  sequence all(side * side);
  const auto transpose = [&](bool rows, std::uint64_t from, std::uint64_t into, std::int32_t tag) {
    graph g(side * side);
    for (std::uint32_t i = 0; i < side; ++i) {
      std::vector<rank_id> members;
      for (std::uint32_t j = 0; j < side; ++j)
        members.push_back(rank_id{rows ? i * side + j : j * side + i});
      const comm_id comm = g.add_communicator((rows ? "row" : "column") + std::to_string(i), members);
      for (std::uint32_t me = 0; me < side; ++me)
        for (std::uint32_t peer = 0; peer < side; ++peer) {
          if (peer == me) {
            const segment mine = at(from + me * 64, 64), there = at(into + me * 64, 64);
            g.copy(members[me], std::span(&mine, 1), std::span(&there, 1));
            continue;
          }
          g.send(members[me], at(from + peer * 64, 64), members[peer], tag, comm);
          g.recv(members[me], at(into + peer * 64, 64), members[peer], tag, comm);
        }
    }
    return g;
  };
  all.append(transpose(true, 0x10000, 0x20000, 0));
  all.mark();
  if (computes) {
    graph g(side * side);
    for (std::uint32_t r = 0; r < side * side; ++r) {
      const segment all_of_it = at(0x20000, side * 64);
      g.opaque(rank_id{r}, std::span(&all_of_it, 1), std::span(&all_of_it, 1));
    }
    all.append(g);
    all.mark();
  }
  all.append(transpose(false, 0x20000, 0x30000, 1));
  return all.g();
}

TEST(stages, two_transposes_of_a_pencil_decomposition) {
  for (const bool computes : {false, true}) {
    const graph g = pencil(4, computes);
    const compilation c = compile(g);
    ASSERT_EQ(c.in_stages.stages.size(), computes ? 3u : 2u);
    for (const std::size_t s : {std::size_t{0}, c.in_stages.stages.size() - 1}) {
      const findings& f = c.in_stages.stages[s].found;
      for (const slice& left : f.residual)
        EXPECT_EQ(left.length, 64u) << "a block that a rank keeps";
      EXPECT_EQ(f.residual.size(), 16u);
      ASSERT_EQ(f.found.size(), 4u);
      for (const finding& one : f.found)
        EXPECT_EQ(one.kind, pattern::alltoall);
    }
    EXPECT_EQ(c.schedule.as_written, computes) << "as a whole";
    const plan& p = c.in_stages.schedule;
    ASSERT_FALSE(p.ranks.empty());
    EXPECT_EQ(judge(analyze_all(g), p, 1, 6), "");
  }
}

/// Computations cut random graphs that have no marks; dependencies run through all of it.
TEST(stages, computations_cut_random_graphs) {
  std::uint64_t cut = 0, replaced = 0;
  const std::uint64_t first = oracle::fuzz_seed(), count = oracle::fuzz_count();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    oracle::random_recipe recipe = without_epochs(seed);
    recipe.opaques = true;
    const compile_options options = staged_options(seed);
    const graph g = oracle::random_graph(seed, recipe);
    const compilation c = compile(g, options);
    ASSERT_FALSE(has_errors(c.problems)) << show(g, seed);
    cut += c.in_stages.at_computations;
    const plan& p = c.in_stages.schedule;
    if (p.ranks.empty())
      continue;
    ++replaced;
    const analyzed a = analyze_all(with_groups(g, c.groups));
    ASSERT_EQ(judge(a, p, seed, 4, options.planning.policy), "") << show(g, seed);
  }
  EXPECT_GT(cut, count / 12); // others have computations that go on beside messages
  EXPECT_GT(replaced, count / 10);
}

/// All that is compared for them, what is made of stages among it.
TEST(stages, every_variant_of_random_graphs_with_computations) {
  std::size_t plans = 0, formed = 0;
  const std::uint64_t first = oracle::fuzz_seed(), count = oracle::fuzz_count() / 2;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    oracle::random_recipe recipe = without_epochs(seed);
    recipe.opaques = true;
    const compile_options options = staged_options(seed);
    const graph g = seed % 2 == 0 ? oracle::random_graph(seed, recipe) : random_sequence(3 * seed, 2).g();
    const compilation c = compile(g, options);
    ASSERT_FALSE(has_errors(c.problems)) << show(g, seed);
    const analyzed a = analyze_all(with_groups(g, c.groups));
    choice_request wanted;
    wanted.most = 100;
    wanted.where.longest_in_memory = 1 << 30;
    for (const named_plan& p : choose(a.g, c, options, wanted).plans) {
      ASSERT_EQ(judge(a, p.steps, seed, 4, options.planning.policy), "") << p.name << "\n" << show(g, seed);
      ++plans;
      formed += p.name != written_name && p.name.find("collectives") == std::string::npos;
    }
  }
  EXPECT_GT(plans, count);
  EXPECT_GT(formed, count / 10);
}

/// An exchange of all ranks, and computations that read what the first block of each rank becomes.
graph exchange_and_computations(std::uint32_t ranks, std::uint64_t computed_from, bool exchange_again) {
  graph g(ranks);
  std::vector<op_id> computed;
  const auto exchange = [&](std::uint64_t from, std::uint64_t into, std::int32_t tag) {
    std::vector<op_id> received;
    for (std::uint32_t me = 0; me < ranks; ++me)
      for (std::uint32_t peer = 0; peer < ranks; ++peer) {
        if (peer == me)
          continue;
        const op_id sent = g.send(rank_id{me}, at(from + peer * 8, 8), rank_id{peer}, tag);
        if (!computed.empty())
          g.depend(computed[me], sent);
        received.push_back(g.recv(rank_id{me}, at(into + peer * 8, 8), rank_id{peer}, tag));
      }
    return received;
  };
  const std::vector<op_id> received = exchange(0x1000, 0x2000, 0);
  for (std::uint32_t me = 0; me < ranks; ++me) {
    const segment from = at(computed_from, ranks * 8), into = at(0x3000, ranks * 8);
    computed.push_back(g.opaque(rank_id{me}, std::span(&from, 1), std::span(&into, 1)));
    if (computed_from == 0x2000)
      for (const op_id op : received)
        if (g[op].rank == rank_id{me})
          g.depend(op, computed.back());
  }
  if (exchange_again)
    exchange(0x3000, 0x4000, 0);
  return g;
}

TEST(stages, exchanges_are_replaced_around_computations) {
  for (const bool again : {false, true}) {
    const graph g = exchange_and_computations(4, 0x2000, again);
    const compilation c = compile(g);
    ASSERT_EQ(c.in_stages.stages.size(), again ? 3u : 2u);
    for (std::size_t s = 0; s < c.in_stages.stages.size(); s += 2) {
      ASSERT_EQ(c.in_stages.stages[s].found.found.size(), 1u);
      EXPECT_EQ(c.in_stages.stages[s].found.found[0].kind, pattern::alltoall);
    }
    ASSERT_FALSE(c.in_stages.schedule.ranks.empty());
    EXPECT_EQ(judge(analyze_all(g), c.in_stages.schedule, 1, 6), "");

    compile_options as_written;
    as_written.planning.progress = region_progress::as_written;
    EXPECT_TRUE(compile(g, as_written).in_stages.stages.empty()) << "ranks would wait for more";
  }
}

/// All ranks add up what they have, which each has computed before, or computes with behind it.
enum class computes : std::uint8_t { before, behind };
graph sum_and_computations(std::uint32_t ranks, computes when) {
  graph g(ranks);
  const reducer_id sum = g.add_reducer({"sum", "long", 8, true, false, true});
  const std::vector<segment> before{{0x80, 8}}, mine{{0x100, 16}}, all{{0x200, 16}}, made{{0x300, 8}};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const op_id computed = when == computes::before ? g.opaque(rank_id{r}, before, mine) : no_op;
    std::vector<op_id> mine_alone{g.copy(rank_id{r}, mine, all)}, added;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      if (other == r)
        continue;
      mine_alone.push_back(g.send(rank_id{r}, mine, rank_id{other}));
      added.push_back(g.recv_reduce(rank_id{r}, all, rank_id{other}, sum));
      g.depend(added.size() == 1 ? mine_alone.front() : added[added.size() - 2], added.back());
    }
    for (const op_id reads : mine_alone)
      if (computed != no_op)
        g.depend(computed, reads);
    if (when == computes::before)
      continue;
    const op_id last = g.opaque(rank_id{r}, all, made);
    for (const auto* ops : {&mine_alone, &added})
      for (const op_id op : *ops)
        g.depend(op, last);
  }
  return g;
}

/// The plan does what the graph does, and none of its reductions may leave out an operand; how many it has.
int judge_and_spoil(const graph& g, const compilation& c, plan by, const std::string& what) {
  const analyzed a = analyze_all(g, false);
  EXPECT_EQ(validate(g, c.matched, c.order, c.moved, by), "") << what;
  EXPECT_EQ(judge(a, by, 1, 6), "") << what;
  int spoiled = 0;
  for (rank_plan& rank : by.ranks)
    for (step& s : rank.steps)
      if (s.kind == step_kind::reduce) {
        const step whole = s;
        s.kind = step_kind::copy; // the last operand alone
        s.by = no_reducer;
        EXPECT_NE(validate(g, c.matched, c.order, c.moved, by), "") << what;
        s = whole;
        ++spoiled;
      }
  return spoiled;
}

/// What computations read is compared by its terms, so that algorithms may combine it in place of the collective, and none may leave
/// out an operand.
TEST(stages, algorithms_combine_what_computations_read_and_write) {
  for (const computes when : {computes::before, computes::behind})
    for (const std::uint32_t ranks : {3u, 4u, 5u}) {
      const graph g = sum_and_computations(ranks, when);
      const compilation c = compile(g);
      ASSERT_FALSE(c.in_stages.schedule.ranks.empty());
      for (const algorithm form : {algorithm::binomial, algorithm::recursive_doubling, algorithm::pairwise})
        EXPECT_GT(judge_and_spoil(g, c, with_messages(g, c.in_stages.schedule, form),
                                  fmt::format("{} on {}", name(form), ranks)),
                  0);
    }
}

/// Doubles that are computed, added up by rank 0 from left to right, and computed with.
graph ordered_sum_between_computations(std::uint32_t ranks) {
  graph g(ranks);
  const reducer_id sum = g.add_reducer({"sum", "double", 8, true, true, true});
  const std::vector<segment> before{{0x80, 8}}, mine{{0x100, 16}}, all{{0x200, 16}}, behind{{0x300, 8}};
  const rank_id root{0};
  const op_id first = g.opaque(root, before, mine);
  op_id last = g.copy(root, mine, all);
  g.depend(first, last);
  for (std::uint32_t r = 1; r < ranks; ++r) {
    const op_id next = g.recv_reduce(root, all, rank_id{r}, sum);
    g.depend(last, next);
    last = next;
  }
  std::vector<op_id> sent;
  for (std::uint32_t r = 1; r < ranks; ++r) {
    sent.push_back(g.send(root, all, rank_id{r}));
    g.depend(last, sent.back());
  }
  const op_id used = g.opaque(root, all, behind);
  for (const op_id s : sent)
    g.depend(s, used);
  for (std::uint32_t r = 1; r < ranks; ++r) {
    const op_id computed = g.opaque(rank_id{r}, before, mine);
    const op_id given = g.send(rank_id{r}, mine, root);
    const op_id got = g.recv(rank_id{r}, all, root);
    g.depend(computed, given);
    g.depend(given, got);
    g.depend(got, g.opaque(rank_id{r}, all, behind));
  }
  return g;
}

TEST(stages, the_order_of_computed_operands_is_kept) {
  for (const std::uint32_t ranks : {3u, 4u, 6u}) {
    const graph g = ordered_sum_between_computations(ranks);
    const compilation c = compile(g);
    ASSERT_FALSE(c.in_stages.schedule.ranks.empty()) << ranks;
    const analyzed a = analyze_all(g, false);
    int forms = 0, swapped = 0;
    for (const algorithm form : {algorithm::linear, algorithm::binomial, algorithm::pairwise}) {
      if (!has_form(g, c.in_stages.schedule, form))
        continue;
      plan by = with_messages(g, c.in_stages.schedule, form);
      ASSERT_EQ(validate(g, c.matched, c.order, c.moved, by), "") << name(form) << " on " << ranks;
      EXPECT_EQ(judge(a, by, 1, 6), "") << name(form) << " on " << ranks;
      for (rank_plan& rank : by.ranks) { // two operands that arrive change places
        std::vector<step*> arrive;
        for (step& s : rank.steps)
          if (s.kind == step_kind::recv && !s.writes.empty())
            arrive.push_back(&s);
        for (std::size_t i = 1; i < arrive.size(); ++i) {
          if (total_length(arrive[i]->writes) != total_length(arrive[i - 1]->writes))
            continue;
          const auto exchange = [&] {
            std::swap(arrive[i]->peer, arrive[i - 1]->peer);
            std::swap(arrive[i]->tag, arrive[i - 1]->tag);
          };
          exchange();
          EXPECT_NE(validate(g, c.matched, c.order, c.moved, by), "") << name(form) << " on " << ranks;
          exchange();
          ++swapped;
        }
      }
      ++forms;
    }
    EXPECT_GT(forms, 0) << ranks;
    EXPECT_GT(swapped, 0) << ranks;
  }
}

/// The last rank adds up what all have; behind that another one combines the sum with what it has.
graph sum_that_is_combined_again(std::uint32_t ranks) {
  graph g(ranks);
  const reducer_id sum = g.add_reducer({"sum", "double", 8, true, true, true}),
                   least = g.add_reducer({"min", "double", 8, true, false, true});
  const std::vector<segment> mine{{0x100, 16}}, all{{0x200, 16}}, other{{0x300, 16}};
  const rank_id root{ranks - 1};
  std::vector<std::vector<op_id>> first(ranks);
  op_id last = g.copy(root, mine, all);
  first[ranks - 1] = {last};
  for (std::uint32_t r = 0; r + 1 < ranks; ++r) {
    first[r] = {g.send(rank_id{r}, mine, root)};
    const op_id next = g.recv_reduce(root, all, rank_id{r}, sum);
    g.depend(last, next);
    last = next;
    first[ranks - 1].push_back(last);
  }
  std::vector<op_id> mark;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    mark.push_back(g.copy(rank_id{r}, {}, {}));
    for (const op_id op : first[r])
      g.depend(op, mark.back());
  }
  g.depend(mark.back(), g.send(root, all, rank_id{0}));
  g.depend(mark.front(), g.recv_reduce(rank_id{0}, other, root, least));
  return g;
}

TEST(stages, reductions_as_written_combine_what_algorithms_have_combined) {
  for (const std::uint32_t ranks : {3u, 4u, 6u}) {
    const graph g = sum_that_is_combined_again(ranks);
    const compilation c = compile(g);
    ASSERT_FALSE(c.in_stages.schedule.ranks.empty()) << ranks;
    const graph named = with_groups(g, c.groups);
    int forms = 0;
    for (const algorithm form : {algorithm::linear, algorithm::binomial}) {
      if (!has_form(named, c.in_stages.schedule, form))
        continue;
      EXPECT_GT(judge_and_spoil(named, c, with_messages(named, c.in_stages.schedule, form),
                                fmt::format("{} on {}", name(form), ranks)),
                0);
      ++forms;
    }
    EXPECT_GT(forms, 0) << ranks;
  }
}

/// Which bytes of a computation go where, although nobody knows what they are.
TEST(stages, bytes_of_a_computation_are_told_apart) {
  graph g(3);
  const segment all = at(0x1000, 16), first = at(0x1000, 8), second = at(0x1008, 8);
  const op_id computed = g.opaque(rank_id{0}, {}, std::span(&all, 1));
  g.depend(computed, g.send(rank_id{0}, first, rank_id{1}, 0));
  g.depend(computed, g.send(rank_id{0}, second, rank_id{2}, 0));
  g.recv(rank_id{1}, at(0x2000, 8), rank_id{0}, 0);
  g.recv(rank_id{2}, at(0x2000, 8), rank_id{0}, 0);
  const analyzed a = analyze_all(g, false);
  plan p = plan_as_written(a.g, a.m, a.o, reason::none, "");
  p.as_written = false;
  ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p), "");
  std::vector<step*> sends;
  for (step& s : p.ranks[0].steps)
    if (s.kind == step_kind::send)
      sends.push_back(&s);
  ASSERT_EQ(sends.size(), 2u);
  std::swap(sends[0]->reads, sends[1]->reads);
  EXPECT_NE(validate(a.g, a.m, a.o, a.t, p), "");
}

/// A computation that needs nothing of an exchange hides it as written: the interior of a domain beside its halo.
TEST(stages, what_goes_on_beside_messages_is_not_put_behind_them) {
  for (const bool again : {false, true})
    EXPECT_TRUE(compile(exchange_and_computations(4, 0x5000, again)).in_stages.stages.empty());
  // The border needs the halo; the interior does not, and then the border's layer is cut no more than the interior's.
  graph g(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const segment inside = at(0x5000, 64), halo = at(0x2000, 8), border = at(0x6000, 8);
    g.send(rank_id{r}, at(0x1000, 8), rank_id{1 - r}, 0);
    const op_id received = g.recv(rank_id{r}, halo, rank_id{1 - r}, 0);
    g.opaque(rank_id{r}, std::span(&inside, 1), std::span(&inside, 1));
    g.depend(received, g.opaque(rank_id{r}, std::span(&halo, 1), std::span(&border, 1)));
  }
  EXPECT_TRUE(compile(g).in_stages.stages.empty());
}

/// A wave through many ranks: as many layers as ranks, and one message in each.
TEST(stages, waves_are_not_cut) {
  constexpr std::uint32_t ranks = 200;
  graph g(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const segment block = at(0x1000, 8);
    const op_id computed = g.opaque(rank_id{r}, std::span(&block, 1), std::span(&block, 1));
    if (r > 0)
      g.depend(g.recv(rank_id{r}, block, rank_id{r - 1}, 0), computed);
    if (r + 1 < ranks)
      g.depend(computed, g.send(rank_id{r}, block, rank_id{r + 1}, 0));
  }
  EXPECT_TRUE(compile(g).in_stages.stages.empty());
}

/// Two ranks that send before they receive, each what it has computed from what has come: as written this relies on buffering.
TEST(stages, messages_in_a_circle_are_not_cut) {
  graph g(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const segment block = at(0x2000, 8);
    const op_id sent = g.send(rank_id{r}, at(0x1000, 8), rank_id{1 - r}, 0);
    const op_id received = g.recv(rank_id{r}, block, rank_id{1 - r}, 0);
    g.depend(sent, received);
    g.opaque(rank_id{r}, std::span(&block, 0), std::span(&block, 0));
  }
  EXPECT_TRUE(compile(g).in_stages.stages.empty());
}

} // namespace
} // namespace tacit::test
