// Collectives in the place of reductions: random graphs that reduce, or nearly so, each replaced and run on the byte machine, which
// combines in any order that the operator allows, against the graph as it runs. Bytes of operators that must keep their order are
// compared with order and grouping, so a collective where none is allowed, or another order, cannot go unnoticed.
#include "graphs/plan/plan_judge.h"

#include "graphs/choice/generated_form.h"
#include "graphs/choice/in_pieces.h"
#include "graphs/choice/on_nodes.h"
#include "graphs/choice/plan_traits.h"
#include "graphs/compile/compile.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "oracle/reduction_graph.h"

#include <gtest/gtest.h>

#include <map>

namespace tacit::test {

using namespace graphs;
namespace {

compile_options options_of(std::uint64_t seed) {
  compile_options options;
  options.planning.reassociate = seed % 3 == 0;
  options.planning.policy = seed % 7 == 0 ? sync_policy::keep_sync : sync_policy::data;
  options.detection.smallest_group = 2;
  return options;
}

struct tally {
  std::map<pattern, int> found;
  int of_guesses = 0, scans_of_guesses = 0;
  int rounding = 0, in_order = 0, beside_kept = 0, refused = 0, by_form = 0;
  int in_pieces = 0, written_in_pieces = 0,
      not_in_pieces = 0;                ///< not: as written it is no plan that validates
  std::map<algorithm, int> in_order_by; ///< forms of what must keep an order
  std::map<pattern, int> in_two_levels;
};

/// Operands of a few bytes, cut into pieces of one to three.
void check_pieces(const analyzed& a, const compilation& c, const plan& whole, const compile_options& options,
                  std::uint64_t seed, tally& count) {
  const std::optional<plan> cut = in_pieces(a.g, whole, {.operand = 2, .piece = 1 + seed % 3});
  if (!cut)
    return;
  const std::string fault = validate(a.g, c.matched, c.order, c.moved, *cut, options.planning);
  if (whole.as_written && !fault.empty()) {
    ++count.not_in_pieces;
    return;
  }
  ASSERT_EQ(fault, "") << show(a.g, seed);
  ASSERT_EQ(judge(a, *cut, seed, 3, options.planning.policy, options.planning.reassociate), "")
      << show(a.g, seed);
  ++(whole.as_written ? count.written_in_pieces : count.in_pieces);
}

void check(const graph& g, std::uint64_t seed, tally& count) {
  const compile_options options = options_of(seed);
  const compilation c = compile(g, options);
  for (const diagnostic& d : c.problems)
    ASSERT_NE(d.level, severity::error) << d.message << "\n" << show(g, seed);
  ASSERT_NE(c.schedule.why_as_written, reason::validation_failed) << c.schedule.detail << "\n"
                                                                  << show(g, seed);
  const analyzed a = analyze_all(with_groups(g, c.groups), false);
  ASSERT_EQ(judge(a, c.schedule, seed, 4, options.planning.policy, options.planning.reassociate), "")
      << show(g, seed);
  count.refused += !c.combined.refused.empty();
  check_pieces(a, c, plan_as_written(a.g, c.matched, c.order, c.schedule.why_as_written, ""), options, seed,
               count);
  if (c.combined.found.empty() || c.schedule.as_written)
    return;
  const plan called = with_ordered_by_messages(a.g, c.schedule);
  ASSERT_FALSE(has_ordered(called));
  ASSERT_EQ(validate(a.g, c.matched, c.order, c.moved, called, options.planning), "") << show(g, seed);
  ASSERT_EQ(judge(a, called, seed, 2, options.planning.policy, options.planning.reassociate), "")
      << show(g, seed);
  for (const algorithm form :
       {algorithm::linear, algorithm::binomial, algorithm::recursive_doubling, algorithm::recursive_halving,
        algorithm::ring, algorithm::pairwise, algorithm::reduce_scatter_allgather, algorithm::two_level}) {
    const process_map where = on_nodes(a.g.ranks(), seed);
    constexpr auto vectors = vector_collectives::by_algorithm;
    if (form != algorithm::linear && !has_form(a.g, c.schedule, form, vectors, where))
      continue;
    const plan by = with_messages(a.g, c.schedule, form, vectors, where);
    ASSERT_EQ(validate(a.g, c.matched, c.order, c.moved, by, options.planning), "") << show(g, seed);
    ASSERT_EQ(judge(a, by, seed, 2, options.planning.policy, options.planning.reassociate), "")
        << show(g, seed);
    check_pieces(a, c, by, options, seed, count);
    count.by_form += has_form(a.g, c.schedule, form, vectors, where);
    count.in_order_by[form] += has_ordered(c.schedule);
    for (const finding& f : c.combined.found)
      count.in_two_levels[f.kind] += form == algorithm::two_level;
  }
  for (const finding& f : c.combined.found) {
    ++count.found[f.kind];
    count.of_guesses += index(f.comm) >= g.communicators().size();
    count.scans_of_guesses += index(f.comm) >= g.communicators().size() && is_scan(f.kind);
    count.rounding += g.reducers()[index(f.by)].rounds;
    count.in_order += !f.order.empty();
  }
  count.beside_kept += c.combined.any && !c.moves().kept_operations.empty();
}

/// So many graphs, each made from a seed.
template <typename Make>
void check_each(std::uint64_t graphs, tally& count, Make&& make) {
  const std::uint64_t first = oracle::fuzz_seed();
  for (std::uint64_t seed = first; seed < first + graphs && !testing::Test::HasFatalFailure(); ++seed)
    check(make(seed), seed, count);
}

TEST(reductions, that_are_replaced_leave_what_the_graph_leaves) {
  tally count;
  const std::uint64_t graphs = oracle::fuzz_count() / 2;
  check_each(graphs, count, [&](std::uint64_t seed) { return oracle::reduction_graph(seed); });
  const int some = static_cast<int>(graphs / 20);
  for (const pattern kind : {pattern::reduce, pattern::allreduce, pattern::reduce_scatter_block,
                             pattern::reduce_scatter, pattern::scan, pattern::exscan}) {
    RecordProperty(std::string(name(kind)), count.found[kind]);
    EXPECT_GT(count.found[kind], kind == pattern::reduce_scatter ? some / 5 : some / 2) << name(kind);
  }
  EXPECT_GT(count.rounding, some / 4);
  EXPECT_GT(count.in_order, some / 4);
  for (const algorithm form : {algorithm::linear, algorithm::binomial, algorithm::pairwise,
                               algorithm::reduce_scatter_allgather, algorithm::two_level})
    EXPECT_GT(count.in_order_by[form], some / 20) << name(form);
  for (const pattern kind :
       {pattern::reduce, pattern::allreduce, pattern::reduce_scatter_block, pattern::reduce_scatter})
    EXPECT_GT(count.in_two_levels[kind], some / 20) << name(kind);
  EXPECT_GT(count.beside_kept, some / 4);
  EXPECT_GT(count.refused, some);
  EXPECT_GT(count.by_form, some);
  EXPECT_GT(count.in_pieces, some);
  EXPECT_GT(count.written_in_pieces, some);
  EXPECT_LT(count.not_in_pieces, count.written_in_pieces);
  RecordProperty("in_pieces", count.in_pieces);
  RecordProperty("written_in_pieces", count.written_in_pieces);
  RecordProperty("not_in_pieces", count.not_in_pieces);
}

TEST(reductions, of_ranks_that_no_communicator_has) {
  tally count;
  const std::uint64_t graphs = oracle::fuzz_count() / 10;
  check_each(graphs, count, [&](std::uint64_t seed) { return oracle::unnamed_reduction_graph(seed); });
  EXPECT_GT(count.of_guesses, static_cast<int>(graphs / 20));
  RecordProperty("of_guesses", count.of_guesses);
}

TEST(reductions, that_are_scans_along_lines_without_communicators) {
  tally count;
  const std::uint64_t graphs = oracle::fuzz_count() / 40;
  check_each(graphs, count, [&](std::uint64_t seed) { return oracle::scans_along_lines(seed); });
  EXPECT_GT(count.scans_of_guesses, static_cast<int>(graphs / 2));
  EXPECT_GT(count.found[pattern::scan], static_cast<int>(graphs / 5));
  EXPECT_GT(count.found[pattern::exscan], static_cast<int>(graphs / 5));
  RecordProperty("scans_of_guesses", count.scans_of_guesses);
}

/// Everybody's operand at the first members, which combine what arrives with what they have at `at`.
void combine_by_hand(graph& g, reducer_id by, const std::vector<std::uint32_t>& members, std::uint64_t at,
                     std::size_t results) {
  const int tag = static_cast<int>(members.front());
  for (std::size_t k = 0; k < results; ++k) {
    const rank_id root{members[k]};
    op_id last = g.copy(root, std::vector<segment>{{0x100, 8}}, std::vector<segment>{{at, 8}});
    for (const std::uint32_t i : members) {
      if (i == members[k])
        continue;
      g.send(rank_id{i}, segment{0x100, 8}, root, tag);
      const op_id next = g.recv_reduce(root, std::vector<segment>{{at, 8}}, rank_id{i}, by, tag);
      g.depend(last, next);
      last = next;
    }
  }
}

TEST(reductions, along_rows_are_found_and_sums_of_neighbors_are_not) {
  const std::uint32_t n = 4;
  for (const bool rows : {true, false})
    for (const std::size_t results : {std::size_t{n}, std::size_t{1}}) {
      graph g(n * n);
      const reducer_id sum = g.add_reducer({"sum", "long", 8, true, false, true});
      for (std::uint32_t r = 0; r < n * n && !rows; ++r)
        combine_by_hand(g, sum, {r, (r + 1) % 16, (r + 15) % 16, (r + 4) % 16, (r + 12) % 16}, 0x200, 1);
      for (std::uint32_t i = 0; i < n && rows; ++i)
        combine_by_hand(g, sum, {n * i, n * i + 1, n * i + 2, n * i + 3}, 0x200, results);
      const compilation c = compile(g);
      ASSERT_FALSE(has_errors(c.problems)) << c.problems.front().message;
      ASSERT_EQ(c.found.found.size(), rows ? n : 0u);
      EXPECT_EQ(c.groups.size(), rows ? n : 0u);
      for (const finding& f : c.found.found)
        EXPECT_EQ(f.kind, results == 1 ? pattern::reduce : pattern::allreduce);
      EXPECT_EQ(judge(analyze_all(with_groups(g, c.groups), false), c.schedule, 1, 4), "");
      EXPECT_EQ(
          std::ranges::any_of(c.found.refused, [](const refusal& r) { return r.why == reason::no_group; }),
          !rows);
    }
}

/// One of four ranks gives two operands, so what they combine is no collective.
TEST(reductions, of_two_operands_of_one_rank_stay) {
  graph g(6);
  const reducer_id sum = g.add_reducer({"sum", "long", 8, true, false, true});
  for (std::uint32_t root = 0; root < 4; ++root) {
    op_id last = g.copy(rank_id{root}, std::vector<segment>{{0x100, 8}}, std::vector<segment>{{0x200, 8}});
    for (const auto& [from, at] :
         {std::pair{0u, 0x100u}, {1u, 0x100u}, {2u, 0x100u}, {3u, 0x100u}, {3u, 0x108u}}) {
      if (from == root && at == 0x100)
        continue;
      g.send(rank_id{from}, segment{at, 8}, rank_id{root}, static_cast<int>(at));
      const op_id next = g.recv_reduce(rank_id{root}, std::vector<segment>{{0x200, 8}}, rank_id{from}, sum,
                                       static_cast<int>(at));
      g.depend(last, next);
      last = next;
    }
  }
  const compilation c = compile(g);
  ASSERT_FALSE(has_errors(c.problems)) << c.problems.front().message;
  EXPECT_TRUE(c.problems.empty());
  EXPECT_TRUE(c.combined.found.empty());
  EXPECT_EQ(judge(analyze_all(with_groups(g, c.groups), false), c.schedule, 1, 4), "");
}

TEST(reductions, in_pieces_arrive_in_two_pieces_of_memory) {
  constexpr std::uint64_t length = 1 << 20;
  graph g(2);
  const reducer_id sum = g.add_reducer({"sum", "int", 4, true, false, true});
  g.send(rank_id{1}, segment{0, length}, rank_id{0});
  g.recv_reduce(rank_id{0}, std::vector<segment>{{0, length}}, rank_id{1}, sum);
  const analyzed a = analyze_all(g, false);
  const plan whole = plan_as_written(a.g, a.m, a.o, reason::none, "");
  const std::optional<plan> cut = in_pieces(a.g, whole);
  ASSERT_TRUE(cut);
  EXPECT_EQ(validate(a.g, a.m, a.o, a.t, *cut), "");
  int arrivals = 0;
  for (const step& s : cut->ranks[0].steps)
    for (const segment& to : s.kind == step_kind::recv ? s.writes : segment_list()) {
      ++arrivals;
      EXPECT_LE(to.address + to.length, scratch_base + length / 2);
    }
  EXPECT_EQ(arrivals, 4);
  EXPECT_FALSE(in_pieces(a.g, whole, {.operand = length + 1}));
}

TEST(reductions, of_graphs_without_any_plan_are_left_alone) {
  tally count;
  oracle::random_recipe recipe{.max_ranks = 3, .max_steps = 8, .opaques = false, .reductions = true};
  check_each(oracle::fuzz_count(), count,
             [&](std::uint64_t seed) { return oracle::random_graph(seed, recipe); });
  EXPECT_GT(count.refused, 0);
}

} // namespace
} // namespace tacit::test
