// What affine runs mean without expanding them is what their graph means: the finding is that of the compilation of every message, and the
// plans are right by its validator and on the machine that moves bytes.
#include "graphs/affine/affine_steps.h"
#include "graphs/affine/compile_affine.h"
#include "graphs/affine/random_loops.h"
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "graphs/plan/plan_judge.h"
#include "oracle/fuzz_count.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>

namespace tacit::test {

using namespace graphs;
namespace {

constexpr std::string_view plans[] = {
    "straight messages",  "collectives", "binomial",          "ring",     "bruck",
    "recursive-doubling", "pairwise",    "scatter-allgather", "pipelined"};

bool is_own(const transfers& t, const slice& s) {
  return t.list[s.transfer].source == t.list[s.transfer].destination;
}

/// The whole graph is one collective with equal blocks, and maybe copies of ranks to themselves.
bool is_one_collective(const compilation& c) {
  return c.found.found.size() == 1 && c.found.found.front().comm == world &&
         is_uniform(c.found.found.front().kind) &&
         std::all_of(c.found.residual.begin(), c.found.residual.end(),
                     [&](const slice& s) { return is_own(c.moved, s); });
}

/// What the compilation of every message says otherwise; empty: nothing.
std::string difference(const compilation& c, const affine_meaning& m) {
  if (!c.problems.empty())
    return c.problems.front().message;
  if (c.schedule.as_written || !is_one_collective(c))
    return "it is not one collective";
  const finding& f = c.found.found.front();
  if (f.kind != m.kind || f.root != m.root || f.bytes != m.bytes)
    return "it is a " + std::string(name(f.kind));
  return c.found.residual.size() == m.own.size() ? "" : "it copies other blocks";
}

std::optional<plan> plan_of(const affine_graph& runs, const affine_meaning& m, std::string_view name) {
  plan all;
  for (const affine_list& list : runs.ranks) {
    std::optional<rank_plan> steps = steps_of(list, finding_of(m), name);
    if (!steps)
      return std::nullopt;
    all.ranks.push_back(std::move(*steps));
  }
  return all;
}

bool is_same(const step& a, const step& b) {
  return a.kind == b.kind && a.collective == b.collective && a.comm == b.comm && a.peer == b.peer &&
         a.tag == b.tag && a.reads == b.reads && a.writes == b.writes && a.sends == b.sends &&
         a.receives == b.receives && a.largest_block == b.largest_block &&
         a.largest_total == b.largest_total && a.after == b.after;
}

/// Whether the steps with the collective are those that the compilation of every message makes, but for their order.
bool are_those_of(const plan& all, const plan& made) {
  for (std::size_t r = 0; r < all.ranks.size(); ++r) {
    const auto &mine = all.ranks[r].steps, &theirs = made.ranks[r].steps;
    if (!std::is_permutation(mine.begin(), mine.end(), theirs.begin(), theirs.end(), is_same))
      return false;
  }
  return true;
}

std::string fault_of_plans(const loop_case& made, const affine_graph& runs, const affine_meaning& m,
                           const compilation& c, std::uint64_t seed) {
  const analyzed a{made.g, c.matched, c.order, c.moved, c.found};
  for (const std::string_view name : plans) {
    const std::optional<plan> p = plan_of(runs, m, name);
    if (!p && (name == "as written" || name == "straight messages" || name == "collectives"))
      return std::string(name) + ": no steps";
    if (!p)
      continue;
    if (name == "collectives" && !are_those_of(*p, c.schedule))
      return "the collective has other steps than the plan of all messages";
    if (const std::string fault = validate(made.g, c.matched, c.order, c.moved, *p); !fault.empty())
      return std::string(name) + ": " + fault;
    if (const std::string fault = judge(a, *p, seed, 2); !fault.empty())
      return std::string(name) + ": " + fault;
  }
  return {};
}

TEST(affine_meaning, is_what_the_graph_means_message_by_message) {
  std::map<pattern, std::uint64_t> whole;
  std::uint64_t spoiled_but_whole = 0, missed = 0, collectives = 0;
  std::map<affine_refusal, std::uint64_t> refused;
  for (std::uint64_t i = 0; i < oracle::fuzz_count(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    const loop_case made = loop_maker(seed).make();
    const compilation c = compile(made.g);
    const bool one = !has_errors(c.problems) && is_one_collective(c);
    collectives += one;
    const std::optional<affine_graph> runs = affine_form(made.g);
    if (!runs) {
      EXPECT_TRUE(made.spoiled) << made.what;
      continue;
    }
    const graph again = expanded(*runs);
    ASSERT_TRUE(std::equal(again.operations().begin(), again.operations().end(), made.g.operations().begin(),
                           made.g.operations().end(),
                           [](const operation& a, const operation& b) {
                             return a.kind == b.kind && a.rank == b.rank && a.peer == b.peer &&
                                    a.tag == b.tag && a.data == b.data;
                           }))
        << "seed " << seed;
    const affine_compilation found = compile(*runs);
    ASSERT_TRUE(found.problems.empty())
        << "seed " << seed << ": " << found.problems.front().message << ", " << made.what;
    if (!found.is_whole()) {
      ++refused[found.why];
      missed += one;
      EXPECT_TRUE(made.spoiled || !made.by_loops)
          << "seed " << seed << ": " << words(found.why) << ", " << made.what;
      continue;
    }
    const std::string other = difference(c, found.meaning);
    ASSERT_TRUE(other.empty()) << show(made.g, seed) << made.what << ": " << other;
    const std::string fault = i % 4 == 0 ? fault_of_plans(made, *runs, found.meaning, c, seed) : "";
    ASSERT_TRUE(fault.empty()) << show(made.g, seed) << made.what << ": " << fault;
    ++whole[found.meaning.kind];
    spoiled_but_whole += made.spoiled;
  }
  std::cout << collectives << " collectives, of which runs did not tell " << missed
            << "; spoiled and yet whole: " << spoiled_but_whole << '\n';
  for (const auto& [why, count] : refused)
    std::cout << count << ": " << words(why) << '\n';
  for (const pattern kind :
       {pattern::alltoall, pattern::allgather, pattern::bcast, pattern::scatter, pattern::gather})
    EXPECT_GT(whole[kind], 0u) << name(kind);
}

affine_graph linear_alltoall(std::uint32_t ranks, std::uint64_t block) {
  affine_graph g;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    affine_list& list = g.ranks.emplace_back(rank_id{r}, ranks);
    for (std::uint32_t k = 1; k < ranks; ++k) {
      const std::uint32_t to = (r + k) % ranks;
      list.add({op_kind::send, world, 0, rank_id{to}, {0x1000 + to * block, block}});
      list.add({op_kind::recv, world, 0, rank_id{to}, {0x4000'0000 + to * block, block}});
    }
  }
  return g;
}

/// The check finds what is wrong with a collective, whatever it was found by.
TEST(affine_meaning, is_refused_by_its_check_if_anything_in_it_is_changed) {
  const affine_graph g = linear_alltoall(6, 16);
  const affine_meaning right = find_meaning(g).found;
  ASSERT_EQ(right.kind, pattern::alltoall);
  ASSERT_EQ(fault_of(g, right), "");
  for (std::size_t i = 0; i < right.stretches.size(); ++i) {
    const auto with = [&](auto&& change) {
      affine_meaning wrong = right;
      change(wrong.stretches[i]);
      return fault_of(g, wrong);
    };
    EXPECT_NE(with([](stretch& s) { s.address += 16; }), "") << i;
    EXPECT_NE(with([](stretch& s) { s.count -= 1; }), "") << i;
    EXPECT_NE(with([](stretch& s) { s.first += 1; }), "") << i;
    if (right.stretches[i].count > 1) {
      EXPECT_NE(with([](stretch& s) { s.stride += 16; }), "") << i;
    }
  }
  affine_meaning wrong = right;
  wrong.kind = pattern::allgather;
  EXPECT_NE(fault_of(g, wrong), "");
  wrong = right;
  wrong.bytes = 8;
  EXPECT_NE(fault_of(g, wrong), "");
  wrong = right;
  wrong.own.push_back({rank_id{2}, 0x1000, 0x2000});
  EXPECT_NE(fault_of(g, wrong), "");
}

/// By rank: what it does, in an order that does not count.
std::multiset<std::tuple<rank_id, op_kind, rank_id, std::uint64_t, std::uint64_t>>
operations_of(const graph& g) {
  std::multiset<std::tuple<rank_id, op_kind, rank_id, std::uint64_t, std::uint64_t>> out;
  for (const operation& o : g.operations())
    out.insert({o.rank, o.kind, o.peer, o.data.address, o.data.length});
  return out;
}

TEST(affine_meaning, of_generated_runs_is_their_algorithm) {
  for (const pattern kind :
       {pattern::alltoall, pattern::allgather, pattern::bcast, pattern::scatter, pattern::gather})
    for (const std::uint32_t p : {2u, 3u, 4u, 7u})
      for (std::uint32_t root = 0; root < (is_rooted(kind) ? p : 1); ++root) {
        const recipe r{.kind = kind, .ranks = p, .block = 24, .root = root};
        diagnostics problems;
        const std::optional<affine_graph> runs = generate_runs(r);
        ASSERT_TRUE(runs) << name(kind);
        EXPECT_EQ(operations_of(expanded(*runs)), operations_of(generate(r, problems).value()))
            << name(kind) << p;
        for (const affine_list& list : runs->ranks)
          EXPECT_LE(list.runs().size(), 2u);
        if (p < 3)
          continue;
        const affine_compilation c = compile(*runs);
        ASSERT_TRUE(c.is_whole()) << name(kind) << ": " << words(c.why);
        EXPECT_EQ(c.meaning.kind, kind);
        EXPECT_EQ(c.meaning.root, is_rooted(kind) ? rank_id{root} : no_rank);
      }
  EXPECT_FALSE(generate_runs({.kind = pattern::alltoall, .form = algorithm::bruck}));
  EXPECT_FALSE(generate_runs({.kind = pattern::barrier}));
  EXPECT_FALSE(generate_runs({.kind = pattern::gather, .self_block = true}));
}

TEST(affine_meaning, of_an_alltoall_of_many_ranks_needs_two_runs_a_rank) {
  const affine_graph g = linear_alltoall(2048, 64);
  for (const affine_list& list : g.ranks)
    ASSERT_EQ(list.runs().size(), 2u);
  const affine_compilation c = compile(g);
  ASSERT_TRUE(c.is_whole());
  EXPECT_EQ(c.meaning.kind, pattern::alltoall);
  EXPECT_EQ(c.meaning.bytes, 64u);
  const std::optional<rank_plan> steps = steps_of(g.ranks[1000], finding_of(c.meaning), "collectives");
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->steps.size(), 1u);
  EXPECT_EQ(steps->steps.front().sends.size(), 2047u);
}

} // namespace
} // namespace tacit::test
