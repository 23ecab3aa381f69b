// Reduce-scatters and scans by meaning: every generated algorithm is recognised and carried out in every form, and what is nearly one
// runs as written, with the reason.
#include "graphs/plan/plan_judge.h"

#include "graphs/choice/generated_form.h"
#include "graphs/choice/on_nodes.h"
#include "graphs/compile/compile.h"
#include "oracle/rank_lines.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

const reducer sum{"sum", "int", 4, true, false, true};
const reducer join{"join", "pair", 4, false, false, true};
const reducer rounding{"sum", "float", 4, true, true, true};

std::string found_in(const compilation& c) {
  std::string out;
  for (const finding& f : c.found.found)
    out += std::string(out.empty() ? "" : ", ") + std::string(name(f.kind)) + " " + std::to_string(f.bytes);
  return out;
}

reason refused_in(const compilation& c) {
  return c.combined.refused.empty() ? reason::none : c.combined.refused.front().why;
}

void expect_right(const graph& g, const compilation& c, const std::string& what,
                  const plan_options& options = {}) {
  ASSERT_FALSE(has_errors(c.problems)) << what << c.problems.front().message;
  ASSERT_NE(c.schedule.why_as_written, reason::validation_failed) << what << c.schedule.detail;
  const analyzed a = analyze_all(with_groups(g, c.groups), false);
  EXPECT_EQ(judge(a, c.schedule, 7, 3, options.policy, options.reassociate), "") << what;
  if (c.schedule.as_written)
    return;
  for (const algorithm form :
       {algorithm::linear, algorithm::binomial, algorithm::ring, algorithm::recursive_doubling,
        algorithm::recursive_halving, algorithm::pairwise, algorithm::reduce_scatter_allgather,
        algorithm::two_level}) {
    const plan by =
        with_messages(a.g, c.schedule, form, vector_collectives::by_algorithm, on_nodes(g.ranks(), g.size()));
    EXPECT_EQ(validate(a.g, c.matched, c.order, c.moved, by, options), "") << what << name(form);
    EXPECT_EQ(judge(a, by, 11, 2, options.policy, options.reassociate), "") << what << name(form);
  }
}

TEST(scans, and_all_other_generated_reductions_are_recognised) {
  for (const known_algorithm& k : combining_algorithms())
    for (std::uint32_t p = 3; p <= 9; ++p) {
      recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = 24, .root = p / 3};
      r.by = sum;
      diagnostics problems;
      const auto g = generate(r, problems);
      if (!g)
        continue;
      const std::string what =
          std::string(name(k.form)) + " " + std::string(name(k.kind)) + " p=" + std::to_string(p) + " ";
      const compilation c = compile(*g);
      EXPECT_EQ(found_in(c), std::string(name(k.kind)) + " 24") << what;
      EXPECT_FALSE(c.schedule.as_written) << what;
      expect_right(*g, c, what);
    }
}

TEST(scans, keep_the_order_of_operators_that_do_not_commute) {
  for (const pattern kind : {pattern::scan, pattern::exscan, pattern::reduce_scatter_block})
    for (std::uint32_t p = 3; p <= 6; ++p) {
      recipe r{.kind = kind, .ranks = p, .block = 8};
      r.by = join;
      diagnostics problems;
      const auto g = generate(r, problems);
      const compilation c = compile(*g);
      EXPECT_EQ(found_in(c), std::string(name(kind)) + " 8");
      expect_right(*g, c, std::string(name(kind)));
      EXPECT_EQ(has_form(*g, c.schedule, algorithm::recursive_doubling), is_scan(kind));
      EXPECT_FALSE(has_form(*g, c.schedule, algorithm::pairwise));
    }
}

TEST(scans, of_operators_that_round_need_leave) {
  recipe r{.kind = pattern::scan, .ranks = 5, .block = 8};
  r.by = rounding;
  diagnostics problems;
  const auto g = generate(r, problems);
  EXPECT_EQ(refused_in(compile(*g)), reason::order_kept);
  compile_options options;
  options.planning.reassociate = true;
  const compilation c = compile(*g, options);
  EXPECT_EQ(found_in(c), "scan 8");
  expect_right(*g, c, "with leave", options.planning);
}

/// Four ranks scan by each for itself, in an order of steps that the test may disturb.
struct by_hand {
  static constexpr std::uint32_t ranks = 4;
  static constexpr std::uint64_t bytes = 8, operand = 0x100, result = 0x200, arrived = 0x300;
  graph g{ranks};
  reducer_id by;

  explicit by_hand(const reducer& r) : by(g.add_reducer(r)) {
    for (std::uint32_t i = 0; i < ranks; ++i)
      g.scratch(rank_id{i}, {arrived, 0x100});
  }
  /// Puts the operand of rank `from` in front of what rank `to` has.
  op_id add(std::uint32_t from, std::uint32_t to, op_id after, std::int32_t tag = 0,
            bool same_operator = true) {
    const reducer_id with = same_operator ? by : g.add_reducer({"maximum", "int", 4, true, false, true});
    g.send(rank_id{from}, segment{operand, bytes}, rank_id{to}, tag);
    const segment into{result, bytes};
    const op_id got = g.recv_reduce(rank_id{to}, std::span(&into, 1), rank_id{from}, with, tag);
    g.depend(after, got);
    return got;
  }
  op_id begin(std::uint32_t rank) {
    const segment from{operand, bytes}, into{result, bytes};
    return g.copy(rank_id{rank}, std::span(&from, 1), std::span(&into, 1));
  }
  /// The result of one rank.
  void inclusive(std::uint32_t rank) {
    op_id last = begin(rank);
    for (std::uint32_t k = rank; k-- > 0;)
      last = add(k, rank, last);
  }
  void exclusive(std::uint32_t rank) {
    const segment into{result, bytes};
    g.send(rank_id{rank - 1}, segment{operand, bytes}, rank_id{rank});
    op_id last = g.recv(rank_id{rank}, into, rank_id{rank - 1});
    for (std::uint32_t k = rank - 1; k-- > 0;)
      last = add(k, rank, last);
  }
};

struct outcome {
  std::string found;
  reason refused;
};

outcome of(const by_hand& h, const char* what) {
  const compilation c = compile(h.g);
  expect_right(h.g, c, what);
  return {found_in(c), refused_in(c)};
}

TEST(scans, by_hand_are_found_and_near_misses_are_not) {
  by_hand good(sum), exclusive(sum), missing(sum), twice(sum), mixed(sum), kept(sum), swapped(join),
      in_order(join);
  for (std::uint32_t i = 1; i < by_hand::ranks; ++i) {
    good.inclusive(i);
    exclusive.exclusive(i);
    in_order.inclusive(i);
    if (i < 3) {
      for (by_hand* h : {&missing, &twice, &mixed, &swapped})
        h->inclusive(i);
      kept.exclusive(i);
    }
  }
  missing.add(0, 3, missing.add(2, 3, missing.begin(3)));
  twice.add(0, 3, twice.add(0, 3, twice.add(1, 3, twice.add(2, 3, twice.begin(3)))), 1);
  mixed.add(0, 3, mixed.add(1, 3, mixed.add(2, 3, mixed.begin(3))), 0, false);
  swapped.add(1, 3, swapped.add(0, 3, swapped.add(2, 3, swapped.begin(3))));
  kept.inclusive(3);
  EXPECT_EQ(of(good, "good").found, "scan 8");
  EXPECT_EQ(of(exclusive, "exclusive").found, "exscan 8");
  EXPECT_EQ(of(in_order, "in order").found, "scan 8");
  for (const auto& [h, what] :
       {std::pair(&missing, "an operand is missing"), std::pair(&twice, "one counts twice"),
        std::pair(&mixed, "operators are mixed"), std::pair(&swapped, "wrong order")}) {
    const outcome o = of(*h, what);
    EXPECT_EQ(o.found, "") << what;
    EXPECT_TRUE(o.refused == reason::no_group || o.refused == reason::no_term ||
                o.refused == reason::no_common_block)
        << what << static_cast<int>(o.refused);
  }
  const outcome o = of(kept, "the last one keeps the inclusive result"); // which is a sum of all by itself
  EXPECT_EQ(o.found, "reduce 8");
  EXPECT_EQ(o.refused, reason::no_group);
}

/// The first rank need not have its own operand twice, and all may combine in place.
TEST(scans, in_place_are_found) {
  graph g(4);
  const reducer_id by = g.add_reducer(sum);
  const segment mine{0x100, 16}, arrived{0x200, 16};
  for (std::uint32_t i = 1; i < 4; ++i) {
    g.scratch(rank_id{i}, arrived);
    g.send(rank_id{i - 1}, mine, rank_id{i});
    const op_id sent{static_cast<std::uint32_t>(g.size() - 1)};
    if (i > 1)
      g.depend(op_id{static_cast<std::uint32_t>(g.size() - 2)}, sent);
    const op_id got = g.recv(rank_id{i}, arrived, rank_id{i - 1});
    const op_id combined = g.reduce(rank_id{i}, std::span(&arrived, 1), std::span(&mine, 1), by);
    g.depend(got, combined);
  }
  const compilation c = compile(g);
  EXPECT_EQ(found_in(c), "scan 16");
  expect_right(g, c, "in place");
}

/// Blocks of four ranks that differ in length, one of them missing.
TEST(scans, reduce_scatters_may_lack_a_block) {
  graph g(4);
  const reducer_id by = g.add_reducer(sum);
  for (std::uint32_t to = 0; to < 3; ++to) {
    const std::uint64_t at = 0x100 + 0x40 * to, bytes = 4 + 4 * to;
    op_id last = no_op;
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (i == to)
        continue;
      const segment block{at, bytes};
      g.send(rank_id{i}, block, rank_id{to});
      const op_id got = g.recv_reduce(rank_id{to}, std::span(&block, 1), rank_id{i}, by);
      if (last != no_op)
        g.depend(last, got);
      last = got;
    }
  }
  const compilation c = compile(g);
  EXPECT_EQ(found_in(c), "reduce_scatter 12");
  expect_right(g, c, "three of four");
  compile_options options;
  options.detection.vector_forms = false;
  EXPECT_EQ(found_in(compile(g, options)), "reduce 4, reduce 8, reduce 12");
}

TEST(scans, among_other_reductions_of_the_same_operands) {
  recipe r{.kind = pattern::scan, .ranks = 5, .block = 8};
  r.by = sum;
  diagnostics problems;
  graph g = *generate(r, problems);
  r.kind = pattern::exscan;
  r.base = 0x100000;
  ASSERT_TRUE(add_pattern(g, world, r, problems));
  r.kind = pattern::allreduce;
  r.base = 0x200000;
  ASSERT_TRUE(add_pattern(g, world, r, problems));
  r.kind = pattern::reduce_scatter_block;
  r.base = 0x300000;
  ASSERT_TRUE(add_pattern(g, world, r, problems));
  const compilation c = compile(g);
  EXPECT_EQ(found_in(c), "allreduce 8, reduce_scatter_block 8, scan 8, exscan 8");
  expect_right(g, c, "four of them");
}

/// A larger communicator comes first: its shorter terms would be reductions on a smaller one.
TEST(scans, take_what_is_theirs_before_smaller_communicators) {
  recipe r{.kind = pattern::scan, .ranks = 5, .block = 8};
  r.by = sum;
  diagnostics problems;
  graph g = *generate(r, problems);
  g.add_communicator("first three", {rank_id{0}, rank_id{1}, rank_id{2}});
  const comm_id back = g.add_communicator("back", {rank_id{4}, rank_id{2}, rank_id{0}});
  r.kind = pattern::exscan;
  r.base = 0x100000;
  ASSERT_TRUE(add_pattern(g, back, r, problems));
  const compilation c = compile(g);
  EXPECT_EQ(found_in(c), "scan 8, exscan 8");
  EXPECT_EQ(c.found.found.back().comm, back);
  expect_right(g, c, "two communicators");
}

using oracle::every, oracle::ranks_of;

/// A scan among ranks of a larger graph, by each for itself: what is in front comes last, so operators need not commute.
void scan_by_hand(graph& g, reducer_id by, const ranks_of& members, bool inclusive,
                  std::uint64_t base = 0x100) {
  const segment operand{base, 8}, result{base + 0x40, 8};
  const int tag = static_cast<int>(base);
  for (std::size_t i = 1; i < members.size(); ++i) {
    const rank_id me{members[i]};
    std::size_t before = i;
    op_id last = no_op;
    if (inclusive) {
      last = g.copy(me, std::span(&operand, 1), std::span(&result, 1));
    } else {
      const rank_id from{members[--before]};
      g.send(from, operand, me, tag);
      last = g.recv(me, result, from, tag);
    }
    while (before-- > 0) {
      const rank_id from{members[before]};
      g.send(from, operand, me, tag);
      const op_id next = g.recv_reduce(me, std::span(&result, 1), from, by, tag);
      g.depend(last, next);
      last = next;
    }
  }
}

/// "scan 3 2 1 0", sorted.
std::vector<std::string> groups_in(const graph& g, const compilation& c) {
  const graph all = with_groups(g, c.groups);
  std::vector<std::string> out;
  for (const finding& f : c.found.found) {
    std::string text(name(f.kind));
    for (const rank_id r : all.communicators()[index(f.comm)].members)
      text += " " + std::to_string(index(r));
    out.push_back(std::move(text));
  }
  std::ranges::sort(out);
  return out;
}

using texts = std::vector<std::string>;

texts found_among(const graph& g, const char* what) {
  const compilation c = compile(g);
  expect_right(g, c, what);
  return groups_in(g, c);
}

TEST(scans, along_rows_and_columns_without_communicators) {
  const std::uint32_t n = 4;
  for (const reducer& with : {sum, join})
    for (const bool inclusive : {true, false})
      for (int which = 1; which <= 3; ++which) {
        graph g(n * n);
        const reducer_id by = g.add_reducer(with);
        texts wanted;
        for (std::uint32_t i = 0; i < n; ++i) {
          const std::string kind = inclusive ? "scan" : "exscan";
          const auto text = [&](const ranks_of& members) {
            std::string out = kind;
            for (const std::uint32_t r : members)
              out += " " + std::to_string(r);
            return out;
          };
          const ranks_of row = every(i * n, 1, n), column = every(i, n, n);
          if (which % 2 == 1) {
            scan_by_hand(g, by, row, inclusive);
            wanted.push_back(text(row));
          }
          if (which >= 2) {
            scan_by_hand(g, by, column, inclusive, 0x200);
            wanted.push_back(text(column));
          }
        }
        std::ranges::sort(wanted);
        EXPECT_EQ(found_among(g, "lines"), wanted) << inclusive << which << with.operation;
      }
}

/// The chain of terms says in which order, also backwards among all ranks, where there is a communicator of another order.
TEST(scans, of_guesses_have_any_order) {
  for (const reducer& with : {sum, join})
    for (const bool inclusive : {true, false})
      for (const ranks_of& members : {ranks_of{3, 2, 1, 0}, {5, 1, 7, 3}, {9, 0, 2, 1, 8}, {8, 6, 4, 2, 0}}) {
        graph g(members.size() == 4 && members.front() == 3 ? 4 : 10);
        scan_by_hand(g, g.add_reducer(with), members, inclusive);
        std::string wanted = inclusive ? "scan" : "exscan";
        for (const std::uint32_t r : members)
          wanted += " " + std::to_string(r);
        EXPECT_EQ(found_among(g, wanted.c_str()), texts{wanted});
      }
  graph g(6);
  scan_by_hand(g, g.add_reducer(sum), {4, 3, 2, 1}, true);
  const compilation c = compile(g);
  ASSERT_EQ(c.groups.size(), 1u);
  EXPECT_EQ(c.groups.front().name, "ranks-4-1");
}

TEST(scans, of_guesses_need_four_ranks_and_no_other_operator) {
  graph few(8), mixed(8);
  scan_by_hand(few, few.add_reducer(sum), {1, 4, 6}, true);
  EXPECT_EQ(found_among(few, "three ranks"), texts{});
  scan_by_hand(mixed, mixed.add_reducer(sum), {1, 4, 6}, true);
  const segment operand{0x100, 8}, result{0x140, 8};
  op_id last = mixed.copy(rank_id{7}, std::span(&operand, 1), std::span(&result, 1));
  const reducer_id maximum = mixed.add_reducer({"maximum", "int", 4, true, false, true});
  for (const std::uint32_t from : {6u, 4u, 1u}) {
    mixed.send(rank_id{from}, operand, rank_id{7}, 5);
    const op_id next = mixed.recv_reduce(rank_id{7}, std::span(&result, 1), rank_id{from}, maximum, 5);
    mixed.depend(last, next);
    last = next;
  }
  EXPECT_EQ(found_among(mixed, "the last one by another operator"), texts{});
}

/// Each rank adds up its own and what some ranks before it have; the first ones have fewer.
TEST(scans, sums_of_those_before_are_none) {
  for (const std::uint32_t reach : {3u, 4u})
    for (const reducer& with : {sum, join}) {
      graph g(12);
      const reducer_id by = g.add_reducer(with);
      const segment operand{0x100, 8}, result{0x140, 8};
      for (std::uint32_t r = 1; r < g.ranks(); ++r) {
        op_id last = g.copy(rank_id{r}, std::span(&operand, 1), std::span(&result, 1));
        for (std::uint32_t k = 1; k <= std::min(reach, r); ++k) {
          g.send(rank_id{r - k}, operand, rank_id{r});
          const op_id next = g.recv_reduce(rank_id{r}, std::span(&result, 1), rank_id{r - k}, by);
          g.depend(last, next);
          last = next;
        }
      }
      EXPECT_EQ(found_among(g, "windows"), texts{}) << reach;
    }
}

/// What an allreduce gives to all is no scan's, unless the last member has it twice.
TEST(scans, of_guesses_leave_an_allreduce_what_it_has) {
  for (const bool twice : {false, true}) {
    graph g(9);
    const reducer_id by = g.add_reducer(sum);
    const ranks_of members{2, 3, 5, 8};
    const segment operand{0x100, 8};
    scan_by_hand(g, by, twice ? members : ranks_of{2, 3, 5}, true);
    for (const std::uint32_t to : members) {
      const segment result{0x200, 8};
      op_id last = g.copy(rank_id{to}, std::span(&operand, 1), std::span(&result, 1));
      for (const std::uint32_t from : members)
        if (from != to) {
          g.send(rank_id{from}, operand, rank_id{to}, 1);
          const op_id next = g.recv_reduce(rank_id{to}, std::span(&result, 1), rank_id{from}, by, 1);
          g.depend(last, next);
          last = next;
        }
    }
    texts wanted{"allreduce 2 3 5 8"};
    if (twice)
      wanted.emplace_back("scan 2 3 5 8");
    EXPECT_EQ(found_among(g, "an allreduce beside"), wanted);
  }
}

/// A communicator of all ranks has its scan, and rows have theirs of other operands.
TEST(scans, of_guesses_beside_one_of_all_ranks) {
  graph g(12);
  const reducer_id by = g.add_reducer(sum);
  scan_by_hand(g, by, every(0, 1, 12), true, 0x1000);
  for (std::uint32_t i = 0; i < 3; ++i)
    scan_by_hand(g, by, every(4 * i, 1, 4), true, 0x2000);
  EXPECT_EQ(found_among(g, "two levels"),
            (texts{"scan 0 1 2 3", "scan 0 1 2 3 4 5 6 7 8 9 10 11", "scan 4 5 6 7", "scan 8 9 10 11"}));
}

} // namespace
} // namespace tacit::test
