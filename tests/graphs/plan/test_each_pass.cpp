// The compiler with each pass switched off by name: what is compiled without it does the same as the graph.
// Passes that make what later ones need (check, match, order, flow) are no choice; all others are.
#include "graphs/plan/plan_judge.h"

#include "graphs/compile/compile.h"
#include "oracle/random_graph.h"
#include "oracle/reduction_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tacit::test {

using namespace graphs;
namespace {

constexpr const char* required[] = {"check", "match", "order", "flow"};

/// The passes that a compilation runs, but for those that must.
std::vector<std::string> passes_that_can_be_left_out() {
  graph g(2);
  g.send(rank_id{0}, segment{0x100, 8}, rank_id{1});
  g.recv(rank_id{1}, segment{0x200, 8}, rank_id{0});
  std::vector<std::string> names;
  for (const pass_time& pass : compile(g).times)
    if (std::find(std::begin(required), std::end(required), pass.name) == std::end(required))
      names.emplace_back(pass.name);
  return names;
}

compilation compile_without(const graph& g, const std::string& pass) {
  compile_options options;
  options.disabled = {pass};
  return compile(g, options);
}

TEST(each_pass, is_left_out_when_it_is_named) {
  const auto names = passes_that_can_be_left_out();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
            (std::set<std::string>{"rendezvous", "races", "reductions", "detect", "replace", "validate",
                                   "stages"}));
  graph g(1);
  for (const std::string& pass : names)
    for (const pass_time& run : compile_without(g, pass).times)
      EXPECT_NE(run.name, pass);
}

TEST(each_pass, can_be_left_out_and_the_plan_means_the_graph) {
  for (const std::string& pass : passes_that_can_be_left_out())
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      oracle::random_recipe recipe;
      recipe.opaques = seed % 4 == 0;
      recipe.one_sided = seed % 2 == 0;
      analyzed a = analyze_all(
          seed % 4 == 1 ? oracle::reduction_graph(seed) : oracle::random_graph(seed, recipe), false);
      const compilation c = compile_without(a.g, pass);
      ASSERT_FALSE(has_errors(c.problems)) << pass << ", seed " << seed;
      a.g = with_groups(std::move(a.g), c.groups);
      ASSERT_EQ(judge(a, c.schedule, seed, 3), "") << "without " << pass << ", seed " << seed << "\n"
                                                   << oracle::print(a.g);
    }
}

} // namespace
} // namespace tacit::test
