// Collectives carried out by well-known algorithms: the plans validate, and the byte machine agrees with the graph.
#include "graphs/choice/generated_form.h"
#include "graphs/choice/on_nodes.h"
#include "graphs/compile/compile.h"
#include "graphs/plan/plan_judge.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

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
        const process_map where = on_nodes(ranks, ranks + block);
        if (!has_form(a.g, whole, k.form, vector_collectives::straight, where))
          continue;
        ++forms;
        const plan by = with_messages(a.g, whole, k.form, vector_collectives::straight, where);
        EXPECT_FALSE(has_collectives(by));
        EXPECT_EQ(fault_of(a, by), "")
            << name(k.kind) << " " << name(k.form) << " " << ranks << " x " << block;
        if (block < 100 && ranks < 7) {
          EXPECT_EQ(judge(a, by, ranks, 6), "") << name(k.kind) << " " << name(k.form) << " " << ranks;
        }
      }
  EXPECT_GT(forms, 400);
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
    for (const algorithm form :
         {algorithm::linear, algorithm::binomial, algorithm::ring, algorithm::bruck, algorithm::two_level})
      for (const auto vectors : {vector_collectives::straight, vector_collectives::by_algorithm}) {
        const process_map where = on_nodes(a.g.ranks(), seed);
        const plan by = with_messages(a.g, whole, form, vectors, where);
        changed += has_form(a.g, whole, form, vectors, where) ? 1 : 0;
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
      const process_map where = on_nodes(r.ranks, seed);
      if (whole.as_written || !has_form(a.g, whole, k.form, vector_collectives::straight, where))
        continue;
      ++changed;
      const plan by = with_messages(a.g, whole, k.form, vector_collectives::straight, where);
      ASSERT_EQ(fault_of(a, by), "") << name(k.kind) << " " << name(k.form) << "\n" << show(a.g, seed);
      ASSERT_EQ(judge(a, by, seed, 4), "") << name(k.kind) << " " << name(k.form) << "\n" << show(a.g, seed);
    }
  EXPECT_GT(changed, 80);
}

/// Blocks of all lengths, some of them empty; each pair's bytes are its own, as the pattern has it.
graph with_unequal_blocks(pattern kind, std::uint32_t ranks, std::uint32_t root, std::uint64_t seed) {
  graph g(ranks);
  const auto length = [&](std::uint32_t a, std::uint32_t b) { return (seed * 7 + a * 5 + b * 3) % 11; };
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t to = 0; to < ranks; ++to) {
      const bool wanted = kind == pattern::scatterv  ? from == root
                          : kind == pattern::gatherv ? to == root
                                                     : true;
      const std::uint64_t bytes = kind == pattern::allgatherv ? length(from, 1) : length(from, to);
      if (from == to || !wanted || bytes == 0)
        continue;
      const std::uint64_t at = kind == pattern::allgatherv ? 0x100 : 0x100 + 0x20 * to;
      g.send(rank_id{from}, segment{at, bytes}, rank_id{to});
      g.recv(rank_id{to}, segment{0x1000 + 0x20 * from, bytes}, rank_id{from});
    }
  return g;
}

TEST(generated_form, vector_collectives_take_the_algorithms_of_uniform_ones) {
  std::map<pattern, std::map<algorithm, int>> forms;
  for (const pattern kind : {pattern::allgatherv, pattern::alltoallv, pattern::scatterv, pattern::gatherv})
    for (std::uint32_t ranks = 3; ranks <= 9; ++ranks)
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const analyzed a =
            analyze_all(with_unequal_blocks(kind, ranks, static_cast<std::uint32_t>(seed % ranks), seed));
        const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
        if (whole.as_written || !has_collectives(whole))
          continue; // too many empty blocks
        std::set<algorithm> known;
        for (const known_algorithm& k : known_algorithms())
          known.insert(k.form);
        for (const algorithm form : known) {
          const process_map where = on_nodes(ranks, seed);
          if (!has_form(a.g, whole, form, vector_collectives::by_algorithm, where))
            continue;
          ++forms[kind][form];
          const plan by = with_messages(a.g, whole, form, vector_collectives::by_algorithm, where);
          EXPECT_FALSE(has_collectives(by));
          ASSERT_EQ(fault_of(a, by), "") << name(kind) << " " << name(form) << " " << ranks << " " << seed;
          ASSERT_EQ(judge(a, by, seed, 4), "")
              << name(kind) << " " << name(form) << " " << ranks << " " << seed;
        }
      }
  EXPECT_GE(forms[pattern::allgatherv][algorithm::ring], 40);
  EXPECT_GE(forms[pattern::allgatherv][algorithm::bruck], 40);
  EXPECT_GE(forms[pattern::alltoallv][algorithm::bruck], 40);
  EXPECT_GE(forms[pattern::scatterv][algorithm::binomial], 40);
  EXPECT_GE(forms[pattern::gatherv][algorithm::binomial], 40);
  for (const auto& [kind, by] : forms)
    EXPECT_GE(by.at(algorithm::two_level), 30) << name(kind);
}

TEST(generated_form, two_levels_send_one_message_between_two_nodes) {
  recipe r;
  r.kind = pattern::alltoall;
  r.ranks = 12;
  r.block = 8;
  diagnostics problems;
  const analyzed a = analyze_all(*generate(r, problems));
  const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
  process_map where;
  for (std::uint32_t i = 0; i < r.ranks; ++i)
    where.node.push_back(i % 3);
  const plan by = with_messages(a.g, whole, algorithm::two_level, vector_collectives::straight, where);
  EXPECT_EQ(fault_of(a, by), "");
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> between;
  for (std::uint32_t i = 0; i < r.ranks; ++i)
    for (const step& s : by.ranks[i].steps)
      if (s.kind == step_kind::send && where.node[i] != where.node[index(s.peer)])
        ++between[{where.node[i], where.node[index(s.peer)]}];
  EXPECT_EQ(between.size(), 6u);
  for (const auto& [nodes, messages] : between)
    EXPECT_EQ(messages, 1);
  EXPECT_FALSE(has_form(a.g, whole, algorithm::two_level)); // one node
  where.node.assign(r.ranks, 7);
  EXPECT_FALSE(has_form(a.g, whole, algorithm::two_level, vector_collectives::straight, where));
  for (std::uint32_t i = 0; i < r.ranks; ++i)
    where.node[i] = i;
  EXPECT_FALSE(has_form(a.g, whole, algorithm::two_level, vector_collectives::straight, where));
}

/// Graphs that combine by hand, on nodes in a row and others. A reduce-scatter of what does not commute needs nodes in a row.
TEST(generated_form, reductions_in_two_levels_keep_the_order_that_the_operator_needs) {
  std::map<pattern, std::map<bool, int>> forms;
  for (const pattern kind : {pattern::reduce, pattern::allreduce, pattern::reduce_scatter_block})
    for (const bool commutes : {true, false})
      for (std::uint32_t ranks = 3; ranks <= 10; ++ranks)
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
          recipe r{.kind = kind, .ranks = ranks == 10 ? 16 : ranks, .block = 4};
          r.root = is_rooted(kind) ? static_cast<std::uint32_t>(seed * 5 % r.ranks) : 0;
          r.by = {"join", "pair", 2, commutes, false, true};
          diagnostics problems;
          const analyzed a = analyze_all(*generate(r, problems), false);
          const compilation c = compile(a.g);
          ASSERT_FALSE(c.schedule.as_written) << c.schedule.detail;
          const process_map where = on_nodes(r.ranks, seed);
          std::vector<std::uint32_t> nodes(where.node.begin(), where.node.end());
          const std::set<std::uint32_t> different(nodes.begin(), nodes.end());
          const bool exists =
              has_form(a.g, c.schedule, algorithm::two_level, vector_collectives::straight, where);
          ASSERT_EQ(exists,
                    different.size() > 1 && different.size() < nodes.size() &&
                        (commutes || kind != pattern::reduce_scatter_block || are_nodes_in_a_row(nodes)))
              << name(kind) << " " << r.ranks << " " << seed;
          if (!exists)
            continue;
          ++forms[kind][commutes];
          const plan by =
              with_messages(a.g, c.schedule, algorithm::two_level, vector_collectives::straight, where);
          ASSERT_FALSE(has_collectives(by));
          ASSERT_EQ(fault_of(a, by), "") << name(kind) << " " << r.ranks << " " << seed;
          ASSERT_EQ(judge(a, by, seed, 4), "") << name(kind) << " " << r.ranks << " " << seed;
        }
  for (const auto& [kind, by] : forms) {
    EXPECT_GT(by.at(true), 50) << name(kind);
    EXPECT_GT(by.at(false), 25) << name(kind);
  }
}

int messages_between_nodes(const plan& p, const process_map& where) {
  int count = 0;
  for (std::uint32_t r = 0; r < p.ranks.size(); ++r)
    for (const step& s : p.ranks[r].steps)
      count += s.kind == step_kind::send && where.node[r] != where.node[index(s.peer)];
  return count;
}

/// Sums that round are combined as the graph does it, with leave in an order of the nodes' own.
TEST(generated_form, nodes_combine_of_sums_that_round_what_the_graph_combines) {
  for (const pattern kind : {pattern::reduce, pattern::allreduce})
    for (const algorithm by_hand : {algorithm::linear, algorithm::binomial})
      for (std::uint64_t seed = 0; seed < 24; ++seed) {
        recipe r{
            .kind = kind, .form = by_hand, .ranks = 4 + static_cast<std::uint32_t>(seed % 6), .block = 16};
        r.by = {"sum", "double", 8, true, true, true};
        r.root = is_rooted(kind) ? static_cast<std::uint32_t>(seed % r.ranks) : 0;
        diagnostics problems;
        const analyzed a = analyze_all(*generate(r, problems), false);
        for (const bool leave : {false, true}) {
          compile_options options;
          options.planning.reassociate = leave;
          const compilation c = compile(a.g, options);
          ASSERT_FALSE(c.schedule.as_written);
          const process_map where = on_nodes(r.ranks, seed);
          const std::set<std::uint64_t> nodes(where.node.begin(), where.node.end());
          const bool exists =
              has_form(a.g, c.schedule, algorithm::two_level, vector_collectives::straight, where);
          ASSERT_EQ(exists, nodes.size() > 1 && nodes.size() < r.ranks);
          if (!exists)
            continue;
          const plan by =
              with_messages(a.g, c.schedule, algorithm::two_level, vector_collectives::straight, where);
          ASSERT_EQ(validate(a.g, a.m, a.o, a.t, by, options.planning), "") << seed;
          ASSERT_EQ(judge(a, by, seed, 4, sync_policy::data, leave), "") << seed;
          const int others = static_cast<int>(nodes.size()) - 1;
          if (kind == pattern::reduce || !leave) {
            EXPECT_EQ(messages_between_nodes(by, where), kind == pattern::reduce ? others : 2 * others);
          }
        }
      }
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
  EXPECT_FALSE(has_form(a.g, whole, algorithm::linear, vector_collectives::by_algorithm));
  const plan by = with_messages(a.g, whole, algorithm::binomial);
  EXPECT_FALSE(has_collectives(by));
  EXPECT_EQ(by.ranks[0].steps.size(), 3u);
  EXPECT_EQ(fault_of(a, by), "");
}

} // namespace
} // namespace tacit::test
