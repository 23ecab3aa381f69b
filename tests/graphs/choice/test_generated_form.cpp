// Collectives carried out by well-known algorithms: the plans validate, and the byte machine agrees with the graph.
#include "graphs/choice/generated_form.h"
#include "graphs/plan/plan_judge.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

bool has_collectives(const plan& p) {
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective)
        return true;
  return false;
}

std::string fault_of(const analyzed& a, const plan& p) {
  return validate(a.g, a.m, a.o, a.t, p);
}

TEST(generated_form, every_algorithm_moves_the_bytes_of_the_pattern) {
  int forms = 0;
  for (const known_algorithm& k : known_algorithms())
    for (std::uint32_t ranks = 3; ranks <= 9; ++ranks)
      for (const std::uint64_t block : {1u, 7u, 100'000u}) {
        recipe r;
        r.kind = k.kind;
        r.ranks = ranks;
        r.block = block;
        r.root = is_rooted(k.kind) ? ranks / 2 : 0;
        diagnostics problems;
        const analyzed a = analyze_all(*generate(r, problems));
        const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
        ASSERT_TRUE(k.kind == pattern::barrier || has_collectives(whole));
        if (!has_form(a.g, whole, k.form))
          continue;
        ++forms;
        const plan by = with_messages(a.g, whole, k.form);
        EXPECT_FALSE(has_collectives(by));
        EXPECT_EQ(fault_of(a, by), "")
            << name(k.kind) << " " << name(k.form) << " " << ranks << " x " << block;
        if (block < 100 && ranks < 7) {
          EXPECT_EQ(judge(a, by, ranks, 6), "") << name(k.kind) << " " << name(k.form) << " " << ranks;
        }
      }
  EXPECT_GT(forms, 300);
}

TEST(generated_form, random_graphs_keep_their_meaning_in_all_forms) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    oracle::random_recipe recipe;
    recipe.one_sided = seed % 2 == 0;
    const analyzed a = analyze_all(oracle::random_graph(seed, recipe));
    if (!a.t.complete)
      continue;
    const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
    if (whole.as_written || !has_collectives(whole))
      continue;
    for (const algorithm form : {algorithm::linear, algorithm::binomial, algorithm::ring, algorithm::bruck}) {
      const plan by = with_messages(a.g, whole, form);
      changed += has_form(a.g, whole, form) ? 1 : 0;
      ASSERT_EQ(fault_of(a, by), "") << name(form) << "\n" << show(a.g, seed);
      ASSERT_EQ(judge(a, by, seed, 4), "") << name(form) << "\n" << show(a.g, seed);
    }
  }
  EXPECT_GT(changed, 50);
}

/// A pattern with messages around it, whose sources are overwritten, so that they are kept in scratch memory first.
TEST(generated_form, patterns_amid_other_messages) {
  int changed = 0;
  for (const known_algorithm& k : known_algorithms())
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      recipe r;
      r.kind = k.kind;
      r.ranks = 5;
      r.block = 6;
      r.extra = 12;
      r.extra_kind = seed % 2 == 0 ? extra_messages::dependent : extra_messages::disjoint;
      r.extra_bytes = 9;
      r.seed = seed;
      diagnostics problems;
      const analyzed a = analyze_all(*generate(r, problems));
      const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
      if (whole.as_written || !has_form(a.g, whole, k.form))
        continue;
      ++changed;
      const plan by = with_messages(a.g, whole, k.form);
      ASSERT_EQ(fault_of(a, by), "") << name(k.kind) << " " << name(k.form) << "\n" << show(a.g, seed);
      ASSERT_EQ(judge(a, by, seed, 4), "") << name(k.kind) << " " << name(k.form) << "\n" << show(a.g, seed);
    }
  EXPECT_GT(changed, 80);
}

TEST(generated_form, vector_collectives_become_straight_messages) {
  graph g(4); // a gather of blocks of different lengths
  for (std::uint32_t r = 1; r < 4; ++r) {
    g.send(rank_id{r}, segment{0x100, 10 * r}, rank_id{0});
    g.recv(rank_id{0}, segment{0x1000 * r, 10 * r}, rank_id{r});
  }
  const analyzed a = analyze_all(std::move(g));
  const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
  ASSERT_TRUE(has_collectives(whole));
  EXPECT_FALSE(has_form(a.g, whole, algorithm::binomial));
  const plan by = with_messages(a.g, whole, algorithm::binomial);
  EXPECT_FALSE(has_collectives(by));
  EXPECT_EQ(by.ranks[0].steps.size(), 3u);
  EXPECT_EQ(fault_of(a, by), "");
}

} // namespace
} // namespace tacit::test
