// Progress as written: no rank may wait for one that it does not wait for in the graph. Who waits in the
// graph is found by transitive closure, who waits in the plan by running it without one rank on a machine
// that buffers nothing; neither shares code with the plans.
#include "graphs/plan/plan_judge.h"

#include "graphs/generate/generate.h"
#include "oracle/random_graph.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

constexpr plan_options as_written{sync_policy::data, region_progress::as_written};

/// "3 waits for 1", if some rank of the plan does not finish without another one that it does not wait for in
/// the graph; else empty.
std::string grown(const graph& g, const plan& p, std::uint64_t seed) {
  const auto heard = oracle::happens_before(g).heard(false);
  for (std::uint32_t absent = 0; absent < g.ranks(); ++absent) {
    const auto got = plan_machine(g, p, seed, true, rank_id{absent}).run();
    for (std::uint32_t r = 0; r < g.ranks(); ++r)
      if (r != absent && !got.finished[r] && !heard[r][absent])
        return std::to_string(r) + " waits for " + std::to_string(absent);
  }
  return {};
}

/// The plan is right, and where it is the graph itself nothing less would do.
void expect_waits_kept(const analyzed& a, std::uint64_t seed) {
  const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, as_written);
  ASSERT_EQ(validate(a.g, a.m, a.o, a.t, p, as_written), "") << show(a.g, seed);
  ASSERT_EQ(judge(a, p, seed, 2), "") << show(a.g, seed);
  if (!p.as_written) {
    ASSERT_EQ(grown(a.g, p, seed), "") << show(a.g, seed);
    return;
  }
  if (p.why_as_written != reason::progress)
    return;
  findings messages;
  for (std::uint32_t i = 0; i < a.t.list.size(); ++i)
    messages.residual.push_back({0, a.t.list[i].length, i});
  const plan direct = make_plan(a.g, a.m, a.o, a.t, messages);
  ASSERT_NE(grown(a.g, direct, seed), "") << show(a.g, seed);
}

oracle::random_recipe progress_recipe_of(std::uint64_t seed) {
  oracle::random_recipe recipe;
  recipe.opaques = false;
  recipe.one_sided = seed % 2 == 0;
  recipe.high_addresses = false;
  return recipe;
}

TEST(progress, random_graphs_wait_for_no_other_ranks) {
  int replaced = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFatalFailure(); ++seed) {
    const analyzed a = analyze_all(oracle::random_graph(seed, progress_recipe_of(seed)));
    expect_waits_kept(a, seed);
    const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, as_written);
    replaced += !p.as_written;
    refused += p.why_as_written == reason::progress;
  }
  EXPECT_GT(replaced, 300);
  EXPECT_GT(refused, 300);
}

graph known(const known_algorithm& what, std::uint32_t ranks, std::uint64_t seed) {
  recipe r;
  r.kind = what.kind;
  r.form = what.form;
  r.ranks = ranks;
  r.block = 3;
  r.root = static_cast<std::uint32_t>(seed % ranks);
  r.segments = 2;
  diagnostics problems;
  auto g = generate(r, problems);
  return g ? std::move(*g) : graph(ranks);
}

bool uses_collectives(const plan& p) {
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective)
        return true;
  return false;
}

/// Allgather and alltoall make everybody wait for everybody; what has a root does not.
TEST(progress, known_algorithms_are_collective_where_all_wait_for_all) {
  std::uint64_t seed = 0;
  for (const known_algorithm& what : known_algorithms())
    for (std::uint32_t ranks = 3; ranks <= 8 && !HasFatalFailure(); ++ranks) {
      const analyzed a = analyze_all(known(what, ranks, ++seed));
      if (a.g.size() == 0) // no butterfly on this number of ranks
        continue;
      expect_waits_kept(a, seed);
      const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, as_written);
      const bool all_wait =
          wait_sets_complete(a.g, a.m, a.o, a.g.communicators()[0].members, sync_paths::all);
      EXPECT_EQ(uses_collectives(p) && !p.as_written, all_wait) << name(what.kind) << " " << name(what.form);
    }
}

TEST(progress, plans_made_without_the_limit_do_not_pass_its_check) {
  graph g(4);
  for (std::uint32_t r = 1; r < 4; ++r) {
    g.send(rank_id{0}, segment{0, 8}, rank_id{r});
    g.recv(rank_id{r}, segment{0, 8}, rank_id{0});
  }
  const analyzed a = analyze_all(std::move(g));
  const plan p = make_plan(a.g, a.m, a.o, a.t, a.f);
  ASSERT_TRUE(uses_collectives(p));
  EXPECT_EQ(validate(a.g, a.m, a.o, a.t, p), "");
  EXPECT_EQ(validate(a.g, a.m, a.o, a.t, p, as_written),
            "rank 0 might wait for rank 1, for which it does not wait in the graph");
  const plan kept = make_plan(a.g, a.m, a.o, a.t, a.f, as_written);
  EXPECT_TRUE(kept.as_written);
  EXPECT_EQ(kept.why_as_written, reason::progress);
}

/// A group whose members wait for each other is served by a collective beside ranks that do not.
TEST(progress, collectives_of_groups_stay) {
  graph g(6);
  std::vector<rank_id> members;
  for (std::uint32_t r = 0; r < 4; ++r)
    members.push_back(rank_id{r});
  g.add_communicator("first four", members);
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to)
      if (from != to) {
        g.send(rank_id{from}, segment{8 * to, 8}, rank_id{to});
        g.recv(rank_id{to}, segment{100 + 8 * from, 8}, rank_id{from});
      }
  for (std::uint32_t r = 4; r < 6; ++r) { // and the other two exchange
    g.send(rank_id{r}, segment{0, 8}, rank_id{9 - r});
    g.recv(rank_id{r}, segment{8, 8}, rank_id{9 - r});
  }
  const analyzed a = analyze_all(std::move(g));
  const plan p = make_plan(a.g, a.m, a.o, a.t, a.f, as_written);
  EXPECT_FALSE(p.as_written) << p.detail;
  EXPECT_TRUE(uses_collectives(p));
  expect_waits_kept(a, 1);
}

} // namespace
} // namespace tacit::test
