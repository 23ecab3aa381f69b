// Small plans of all that the choice compares, in every order that their steps allow.
#include "graphs/choice/choose.h"
#include "graphs/choice/in_pieces.h"
#include "graphs/generate/generate.h"
#include "graphs/plan/plan_judge.h"
#include "graphs/plan/sequence.h"
#include "oracle/fuzz_count.h"
#include "oracle/reduction_graph.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace tacit::test {

using namespace graphs;
namespace {

/// By name, the graph as written left out.
using counts = std::map<std::string, int>;

/// All variants are wanted: prices are so low that no algorithm is left out because it cannot pay.
std::vector<named_plan> compared(const graph& g, const compilation& c, std::uint32_t ranks_of_node) {
  choice_request wanted;
  wanted.costs = costs_of(message_cost{.overhead = 100, .latency = 1e-6});
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    wanted.where.node.push_back(r / ranks_of_node);
  wanted.where.cores = 64;
  wanted.most = 1000;
  wanted.all_played_up_to = std::numeric_limits<std::size_t>::max();
  return choose(g, c, {}, wanted).plans;
}

void judge_candidates(graph g, std::size_t most, const std::string& what, counts& whole) {
  const compilation c = compile(g);
  if (has_errors(c.problems))
    return;
  const analyzed a = analyze_all(with_groups(std::move(g), c.groups), false);
  const auto judge_one = [&](const std::string& name, const plan& p) {
    bool all = true;
    EXPECT_EQ(judge_every_order(a, p, most, all), "") << name << " of " << what << "\n" << oracle::print(a.g);
    whole[name] += all && !p.as_written;
  };
  for (const named_plan& p : compared(a.g, c, 2)) {
    judge_one(p.name, p.steps);
    // Pieces of two elements, or of as few as there are.
    if (const std::optional<plan> cut = in_pieces(a.g, p.steps, {.operand = 4, .piece = 2});
        cut && validate(a.g, c.matched, c.order, c.moved, *cut).empty())
      judge_one(p.name + std::string(cut_in_pieces), *cut);
  }
}

/// Plans with more of them are looked at no further.
constexpr std::size_t most_states = 2'000;

TEST(every_order, of_what_replaces_known_algorithms) {
  counts whole;
  for (const auto all : {known_algorithms(), combining_algorithms()})
    for (const known_algorithm& k : all)
      for (std::uint32_t ranks = 2; ranks <= 4; ++ranks) {
        if (k.form != algorithm::linear)
          continue; // what is found in the others is the same
        diagnostics problems;
        recipe r{.kind = k.kind, .form = k.form, .ranks = ranks, .block = 4, .root = ranks - 1};
        if (k.kind == pattern::allgather || k.kind == pattern::alltoall)
          r.block = 1;
        if (const auto g = generate(r, problems))
          judge_candidates(*g, most_states, std::string(k.what) + " on " + std::to_string(ranks), whole);
      }
  for (const auto& [name, times] : whole)
    RecordProperty(name, times);
  for (const char* name : {"linear", "binomial", "ring", "recursive-doubling", "two-level"})
    EXPECT_GT(whole[name], 0) << name;
}

TEST(every_order, of_small_reductions_and_of_stages) {
  counts whole;
  const std::uint64_t first = oracle::fuzz_seed(),
                      end = first + oracle::from_environment("TACIT_FUZZ_COUNT", 40);
  for (std::uint64_t seed = first; seed < end && !testing::Test::HasFailure(); ++seed) {
    const std::uint32_t ranks = 2 + static_cast<std::uint32_t>(seed % 3);
    oracle::random_recipe recipe;
    recipe.min_ranks = recipe.max_ranks = ranks;
    recipe.max_steps = 3;
    recipe.opaques = recipe.one_sided = recipe.high_addresses = false;
    sequence one_after_the_other(ranks);
    one_after_the_other.append(oracle::random_graph(seed, recipe));
    one_after_the_other.mark();
    one_after_the_other.append(oracle::random_graph(seed + 1'000'000, recipe));
    judge_candidates(std::move(one_after_the_other.g()), most_states, "stages, seed " + std::to_string(seed),
                     whole);
    if (const graph g = oracle::reduction_graph(seed, ranks); g.size() <= 16)
      judge_candidates(g, most_states, "reductions, seed " + std::to_string(seed), whole);
  }
  int staged = 0, in_short_pieces = 0;
  for (const auto& [name, times] : whole) {
    RecordProperty(name, times);
    staged += name.find(in_stages) != std::string::npos ? times : 0;
    in_short_pieces += name.ends_with(cut_in_pieces) ? times : 0;
  }
  EXPECT_GT(staged, 0);
  EXPECT_GT(in_short_pieces, 0);
}

} // namespace
} // namespace tacit::test
