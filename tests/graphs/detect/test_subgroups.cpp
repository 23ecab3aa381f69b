// Collectives of groups that no communicator names: found where they are, and nowhere else; the plans validate, and the byte machine
// agrees with the graph.
#include "graphs/choice/generated_form.h"
#include "graphs/compile/compile.h"
#include "graphs/detect/barrier_groups.h"
#include "graphs/detect/subgroups.h"
#include "graphs/plan/plan_judge.h"
#include "oracle/fuzz_count.h"
#include "oracle/rank_lines.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace tacit::test {

using namespace graphs;
namespace {

using oracle::every, oracle::ranks_of;

/// Messages of a collective by hand among ranks of a larger graph, each at addresses of its own from `base` on.
void add_by_hand(graph& g, pattern kind, const ranks_of& members, std::uint64_t base, std::uint64_t bytes,
                 std::uint32_t root = 0) {
  const auto n = static_cast<std::uint32_t>(members.size());
  const auto send = [&](std::uint32_t from, std::uint64_t source, std::uint32_t to, std::uint64_t target) {
    g.send(rank_id{members[from]}, segment{base + source * bytes, bytes}, rank_id{members[to]},
           static_cast<int>(base >> 12));
    g.recv(rank_id{members[to]}, segment{base + target * bytes, bytes}, rank_id{members[from]},
           static_cast<int>(base >> 12));
  };
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = 0; b < n; ++b) {
      if (a == b)
        continue;
      if (kind == pattern::alltoall)
        send(a, b, b, n + a);
      else if (kind == pattern::allgather)
        send(a, 0, b, 1 + a);
      else if (kind == pattern::bcast && a == root)
        send(a, 0, b, 0);
      else if (kind == pattern::gather && b == root)
        send(a, 0, b, 1 + a);
      else if (kind == pattern::scatter && a == root)
        send(a, 1 + b, b, 0);
    }
}

/// Signals in rounds, each twice as far as those before: after the last round each has heard from all.
void add_barrier(graph& g, const ranks_of& members, int tag) {
  const auto n = static_cast<std::uint32_t>(members.size());
  std::vector<op_id> heard(n, no_op);
  for (std::uint32_t far = 1; far < n; far *= 2) {
    std::vector<op_id> now;
    for (std::uint32_t i = 0; i < n; ++i) {
      const rank_id me{members[i]};
      const op_id sent = g.send(me, segment{}, rank_id{members[(i + far) % n]}, tag);
      if (heard[i] != no_op)
        g.depend(heard[i], sent);
      now.push_back(g.recv(me, segment{}, rank_id{members[(i + n - far) % n]}, tag));
      if (heard[i] != no_op)
        g.depend(heard[i], now.back());
    }
    heard = now;
  }
}

struct found_groups {
  compilation c;
  std::map<std::pair<pattern, ranks_of>, int> by_group;
  int all = 0;
};

/// What is found, after the plan and the plans of messages that carry it out have been tried.
found_groups search(const graph& original, std::uint64_t seed = 1) {
  found_groups out;
  out.c = compile(original);
  const graph g = with_groups(original, out.c.groups);
  EXPECT_FALSE(has_errors(out.c.problems)) << show(g, seed);
  EXPECT_NE(out.c.schedule.why_as_written, reason::validation_failed)
      << out.c.schedule.detail << show(g, seed);
  for (const finding& f : out.c.found.found) {
    ranks_of members;
    for (const rank_id r : g.communicators()[index(f.comm)].members)
      members.push_back(index(r));
    ++out.by_group[{f.kind, members}];
    ++out.all;
  }
  const analyzed a = analyze_all(g);
  EXPECT_EQ(judge(a, out.c.schedule, seed, 4), "") << show(g, seed);
  for (const algorithm form : {algorithm::linear, algorithm::binomial}) {
    const plan by = with_messages(g, out.c.schedule, form);
    EXPECT_EQ(validate(g, a.m, a.o, a.t, by), "") << show(g, seed);
    EXPECT_EQ(judge(a, by, seed, 2), "") << show(g, seed);
  }
  return out;
}

TEST(subgroups, rows_or_columns_or_both) {
  const std::uint32_t rows = 3, columns = 4;
  for (const pattern kind : {pattern::alltoall, pattern::allgather})
    for (int which = 1; which <= 3; ++which) {
      graph g(rows * columns);
      for (std::uint32_t i = 0; i < rows && which % 2 == 1; ++i)
        add_by_hand(g, kind, every(i * columns, 1, columns), 0x1000, 8);
      for (std::uint32_t j = 0; j < columns && which >= 2; ++j)
        add_by_hand(g, kind, every(j, columns, rows), 0x2000, 16);
      const found_groups f = search(g);
      for (std::uint32_t i = 0; i < rows && which % 2 == 1; ++i)
        EXPECT_EQ(f.by_group.count({kind, every(i * columns, 1, columns)}), 1u) << name(kind) << which;
      for (std::uint32_t j = 0; j < columns && which >= 2; ++j)
        EXPECT_EQ(f.by_group.count({kind, every(j, columns, rows)}), 1u) << name(kind) << which;
      EXPECT_EQ(f.all, (which % 2) * 3 + (which / 2) * 4);
      EXPECT_TRUE(f.c.found.residual.empty());
    }
}

/// Blocks of all lengths from each member to each other one, but where there is to be none.
template <typename IsLeftOut>
void add_vector_exchange(graph& g, const ranks_of& members, IsLeftOut&& is_left_out,
                         std::uint64_t base = 0x1000) {
  for (std::uint32_t a = 0; a < members.size(); ++a)
    for (std::uint32_t b = 0; b < members.size(); ++b) {
      if (a == b || is_left_out(a, b))
        continue;
      const std::uint64_t bytes = 8 * (1 + a + 3 * b);
      const int tag = static_cast<int>(base >> 12);
      g.send(rank_id{members[a]}, segment{base + 0x200 * b, bytes}, rank_id{members[b]}, tag);
      g.recv(rank_id{members[b]}, segment{base + 0x7000 + 0x200 * a, bytes}, rank_id{members[a]}, tag);
    }
}

/// Who exchanges with nobody else does as all ranks of a graph would.
TEST(subgroups, that_exchange_with_nobody_else_have_vector_collectives) {
  const auto nothing = [](std::uint32_t, std::uint32_t) { return false; };
  const ranks_of first = every(0, 2, 4), second = every(1, 2, 4);
  graph exchange(8);
  add_vector_exchange(exchange, first, nothing);
  add_vector_exchange(exchange, second, [](std::uint32_t a, std::uint32_t b) { return a == 1 && b == 2; });
  found_groups f = search(exchange);
  EXPECT_EQ(f.by_group.count({pattern::alltoallv, first}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::alltoallv, second}), 1u) << "one empty pair costs nothing";
  EXPECT_TRUE(f.c.found.residual.empty());

  graph rooted(8);
  add_vector_exchange(rooted, first, [](std::uint32_t a, std::uint32_t) { return a != 2; });
  add_vector_exchange(rooted, second, [](std::uint32_t, std::uint32_t b) { return b != 1; });
  f = search(rooted);
  EXPECT_EQ(f.by_group.count({pattern::scatterv, first}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::gatherv, second}), 1u);

  for (std::uint32_t idle = 0; idle < 6; ++idle) { // and the one that does nothing is no member
    graph most(6);
    ranks_of members = every(0, 1, 6);
    members.erase(members.begin() + idle);
    add_vector_exchange(most, members, nothing);
    f = search(most);
    EXPECT_EQ(f.by_group.count({pattern::alltoallv, members}), 1u) << idle;
    EXPECT_EQ(f.all, 1) << idle;
  }

  graph sparse(12); // two rings, whose ranks have two partners of five
  for (const ranks_of& ring : {every(0, 1, 6), every(6, 1, 6)})
    add_vector_exchange(
        sparse, ring, [](std::uint32_t a, std::uint32_t b) { return (a + 1) % 6 != b && (b + 1) % 6 != a; });
  EXPECT_EQ(search(sparse).all, 0);
}

/// Blocks of all lengths along rows and along columns: each line has something for all of its members.
TEST(subgroups, rows_and_columns_have_vector_collectives_at_the_same_time) {
  const auto nothing = [](std::uint32_t, std::uint32_t) { return false; };
  graph g(16);
  for (std::uint32_t i = 0; i < 4; ++i) {
    add_vector_exchange(g, every(4 * i, 1, 4), nothing);
    add_vector_exchange(g, every(i, 4, 4), nothing, 0x20000);
  }
  found_groups f = search(g);
  EXPECT_EQ(f.all, 8);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(f.by_group.count({pattern::alltoallv, every(4 * i, 1, 4)}), 1u);
    EXPECT_EQ(f.by_group.count({pattern::alltoallv, every(i, 4, 4)}), 1u);
  }
  EXPECT_TRUE(f.c.found.residual.empty());

  graph most(11); // and messages of those that are not among them
  add_vector_exchange(most, every(0, 1, 7), nothing);
  add_by_hand(most, pattern::bcast, {9, 10}, 0x30000, 8);
  add_by_hand(most, pattern::bcast, {7, 0}, 0x30000, 8);
  add_by_hand(most, pattern::bcast, {8, 7}, 0x40000, 8);
  f = search(most);
  EXPECT_EQ(f.by_group.count({pattern::alltoallv, every(0, 1, 7)}), 1u);
  EXPECT_EQ(f.all, 1);
}

TEST(subgroups, lines_of_a_grid_of_three_dimensions) {
  graph g(27);
  for (std::uint32_t a = 0; a < 9; ++a) {
    add_by_hand(g, pattern::alltoall, every(a * 3, 1, 3), 0x1000, 8);
    add_by_hand(g, pattern::alltoall, every(a / 3 * 9 + a % 3, 3, 3), 0x2000, 8);
    add_by_hand(g, pattern::alltoall, every(a, 9, 3), 0x3000, 8);
  }
  EXPECT_EQ(search(g).all, 27);
}

/// As in a matrix product by SUMMA: a block of the column goes along its row, one of the row down its column.
TEST(subgroups, broadcasts_along_rows_and_columns) {
  const std::uint32_t n = 4;
  for (std::uint32_t step = 0; step < n; ++step) {
    graph g(n * n);
    for (std::uint32_t i = 0; i < n; ++i) {
      add_by_hand(g, pattern::bcast, every(i * n, 1, n), 0x1000, 32, step);
      add_by_hand(g, pattern::bcast, every(i, n, n), 0x2000, 32, step);
    }
    const found_groups f = search(g);
    EXPECT_EQ(f.all, 8);
    EXPECT_TRUE(f.c.found.residual.empty());
  }
}

TEST(subgroups, separate_groups_of_any_ranks) {
  graph g(16);
  add_by_hand(g, pattern::alltoall, {12, 14, 15}, 0x4000, 8); // two messages a rank are no pattern
  add_by_hand(g, pattern::gather, {0, 5, 7, 11}, 0x1000, 8, 2);
  add_by_hand(g, pattern::scatter, {1, 2, 9, 13}, 0x2000, 24, 1);
  add_by_hand(g, pattern::bcast, {3, 4, 6, 8, 10}, 0x3000, 5, 4);
  const found_groups f = search(g);
  EXPECT_EQ(f.all, 3);
  EXPECT_EQ(f.by_group.count({pattern::gather, {0, 5, 7, 11}}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::scatter, {1, 2, 9, 13}}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::bcast, {3, 4, 6, 8, 10}}), 1u);
}

TEST(subgroups, all_but_few) {
  graph g(11); // of more members each would have enough for a scatterv to all
  const ranks_of most{0, 1, 2, 4, 5, 7, 10};
  add_by_hand(g, pattern::alltoall, most, 0x1000, 8);
  add_by_hand(g, pattern::bcast, {3, 0, 1, 2, 6, 8}, 0x4000,
              40); // members that others lack connect everybody
  add_by_hand(g, pattern::scatter, {6, 3, 5}, 0x5000, 4);
  const found_groups f = search(g);
  EXPECT_EQ(f.by_group.count({pattern::alltoall, most}), 1u);
  EXPECT_EQ(f.by_group.size(), 2u) << "and the broadcast to most";
}

/// The same buffer to most ranks is a broadcast to those, not a scatter that reads it again and again.
TEST(subgroups, a_broadcast_to_all_but_one_is_no_scatter) {
  for (std::uint32_t ranks = 5; ranks < 12; ++ranks)
    for (std::uint32_t without = 1; without < ranks; without += 2) {
      graph g(ranks);
      ranks_of members = every(0, 1, ranks);
      members.erase(members.begin() + without);
      add_by_hand(g, pattern::bcast, members, 0x1000, 8);
      const found_groups f = search(g);
      EXPECT_EQ(f.all, 1);
      EXPECT_EQ(f.by_group.count({pattern::bcast, members}), 1u) << ranks << " without " << without;
      EXPECT_TRUE(f.c.found.residual.empty());
    }
  graph few(4); // two messages are no pattern, and no scatter either
  add_by_hand(few, pattern::bcast, {0, 1, 2}, 0x1000, 8);
  EXPECT_EQ(search(few).all, 0);
  graph own(8); // blocks of their own still are a scatter with a gap
  add_by_hand(own, pattern::scatter, every(0, 1, 7), 0x1000, 8);
  EXPECT_EQ(search(own).by_group.count({pattern::scatterv, every(0, 1, 8)}), 1u);
}

/// What each rank exchanges with its neighbors, 5 B each way.
void add_ring(graph& g) {
  const std::uint32_t n = g.ranks();
  for (std::uint32_t r = 0; r < n; ++r)
    for (const std::uint32_t to : {(r + 1) % n, (r + n - 1) % n}) {
      const std::uint64_t slot = to == (r + 1) % n;
      g.send(rank_id{r}, segment{0x100 + 8 * slot, 5}, rank_id{to}, 100 + static_cast<int>(slot));
      g.recv(rank_id{to}, segment{0x200 + 8 * slot, 5}, rank_id{r}, 100 + static_cast<int>(slot));
    }
}

/// The largest rooted subsets (seed 000 section 4.2), among ranks that exchange with their neighbors besides.
TEST(subgroups, scatters_and_gathers_of_some_ranks_beside_a_halo) {
  for (const pattern kind : {pattern::scatter, pattern::gather, pattern::bcast}) {
    graph g(24);
    add_ring(g);
    const ranks_of large{2, 5, 6, 11, 12, 17, 19, 20, 23}, small{7, 9, 14, 15, 16, 18, 22};
    add_by_hand(g, kind, large, 0x1000, 8, 3);
    add_by_hand(g, kind, small, 0x2000, 24, 0);
    const found_groups f = search(g);
    EXPECT_EQ(f.all, 2) << name(kind);
    EXPECT_EQ(f.by_group.count({kind, large}), 1u) << name(kind);
    EXPECT_EQ(f.by_group.count({kind, small}), 1u) << name(kind);
  }
}

/// A root whose blocks have two lengths: those of one length are a collective, the largest first.
TEST(subgroups, blocks_of_one_length_are_a_scatter) {
  graph g(20);
  add_ring(g);
  const ranks_of equal{1, 3, 4, 8, 10, 13, 17}, longer{3, 5, 6, 9, 12}, two{2, 3, 7};
  add_by_hand(g, pattern::scatter, equal, 0x1000, 8, 1);
  add_by_hand(g, pattern::scatter, longer, 0x2000, 16, 0);
  add_by_hand(g, pattern::scatter, two, 0x3000, 4, 1);
  const found_groups f = search(g);
  EXPECT_EQ(f.all, 2);
  EXPECT_EQ(f.by_group.count({pattern::scatter, equal}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::scatter, longer}), 1u);
}

/// Elements that are dealt out, so that some ranks have one more, beside a halo; and blocks of any length where it is all that a root does.
TEST(subgroups, scatters_and_gathers_of_uneven_blocks_among_other_messages) {
  for (const pattern kind : {pattern::scatterv, pattern::gatherv})
    for (const bool even : {true, false}) {
      graph g(24);
      const ranks_of members{2, 5, 6, 11, 12, 17, 19, 20, 23};
      const rank_id root{2};
      if (even)
        add_ring(g);
      else
        add_by_hand(g, pattern::alltoall, {5, 6, 12}, 0x9000, 4); // too few to be one
      for (std::uint32_t k = 0; k < members.size(); ++k) {
        const rank_id other{members[k]};
        if (other == root)
          continue;
        const std::uint64_t bytes = even ? 40 + 8 * (k % 2) : 8 + 16 * k;
        const segment all{0x1000 + 0x100 * k, bytes}, mine{0x4000, bytes};
        const bool out = kind == pattern::scatterv;
        g.send(out ? root : other, out ? all : mine, out ? other : root, 9);
        g.recv(out ? other : root, out ? mine : all, out ? root : other, 9);
      }
      const found_groups f = search(g);
      EXPECT_EQ(f.all, 1) << name(kind) << even;
      EXPECT_EQ(f.by_group.count({kind, members}), 1u) << name(kind) << even;
    }
}

/// Neighbors get the same, or blocks of their own, of one length or not: they are no groups, whatever the number of ranks.
TEST(subgroups, halos_are_no_collectives) {
  for (std::uint32_t n = 4; n <= 30; ++n)
    for (std::uint32_t reach = 1; reach <= 2; ++reach)
      for (int which = 0; which < 3; ++which) {
        if (2 * reach + 1 >= n)
          continue;
        graph g(n);
        for (std::uint32_t r = 0; r < n; ++r)
          for (std::uint32_t d = 1; d <= reach; ++d)
            for (const std::uint32_t to : {(r + d) % n, (r + n - d) % n}) {
              const bool up = to == (r + d) % n;
              const std::uint64_t slot = 2 * d + up, bytes = which < 2 ? 8 : 1 + (5 * r + 3 * slot) % 8;
              g.send(rank_id{r}, segment{which == 0 ? 0x1000 : 0x1000 + 8 * slot, bytes}, rank_id{to},
                     static_cast<int>(slot));
              g.recv(rank_id{to}, segment{0x2000 + 8 * slot, bytes}, rank_id{r}, static_cast<int>(slot));
            }
        const compilation c = compile(g);
        if (n > 2 * (2 * reach + 1)) {
          EXPECT_TRUE(c.found.found.empty())
              << n << " " << reach << " " << which << name(c.found.found.front().kind);
        }
      }
}

TEST(subgroups, a_missing_message_is_a_message_of_the_others) {
  graph g(12);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t a = 0; a < 4; ++a)
      for (std::uint32_t b = 0; b < 4; ++b)
        if (a != b && !(i == 1 && a == 2 && b == 3)) {
          g.send(rank_id{4 * i + a}, segment{0x1000 + 8 * b, 8}, rank_id{4 * i + b});
          g.recv(rank_id{4 * i + b}, segment{0x2000 + 8 * a, 8}, rank_id{4 * i + a});
        }
  const found_groups f = search(g);
  EXPECT_EQ(f.by_group.count({pattern::alltoall, every(0, 1, 4)}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::alltoall, every(4, 1, 4)}), 0u);
  EXPECT_EQ(f.by_group.count({pattern::alltoall, every(8, 1, 4)}), 1u);
}

TEST(subgroups, stages_share_the_groups_that_they_find) {
  const std::uint32_t rows = 3, columns = 3;
  graph g(9);
  const auto mark = [&](std::size_t from) {
    for (std::uint32_t r = 0; r < 9; ++r) {
      const op_id join = g.copy(rank_id{r}, std::span<const segment>{}, std::span<const segment>{});
      for (std::size_t i = from; i < index(join) - r; ++i)
        if (g[op_id{static_cast<std::uint32_t>(i)}].rank == rank_id{r})
          g.depend(op_id{static_cast<std::uint32_t>(i)}, join);
    }
  };
  for (std::uint32_t i = 0; i < rows; ++i)
    add_by_hand(g, pattern::alltoall, every(i * columns, 1, columns), 0x1000, 8);
  mark(0);
  const std::size_t second = g.size();
  for (int stage = 0; stage < 2; ++stage) { // columns, then rows again
    const std::size_t first = g.size();
    for (std::uint32_t j = 0; j < 3; ++j)
      add_by_hand(g, pattern::alltoall, stage == 0 ? every(j, columns, rows) : every(j * columns, 1, columns),
                  0x3000 + 0x2000 * static_cast<unsigned>(stage), 8);
    const std::size_t marks = stage == 0 ? second - 9 : first - 9;
    for (std::size_t i = first; i < g.size(); ++i)
      g.depend(op_id{static_cast<std::uint32_t>(marks + index(g[op_id{static_cast<std::uint32_t>(i)}].rank))},
               op_id{static_cast<std::uint32_t>(i)});
    if (stage == 0)
      mark(first);
  }
  const compilation c = compile(g);
  ASSERT_EQ(c.in_stages.stages.size(), 3u) << c.in_stages.why_not;
  const graph all = with_groups(g, c.groups);
  EXPECT_LE(c.groups.size(), 6u);
  for (const stage& s : c.in_stages.stages) {
    EXPECT_EQ(s.found.found.size(), 3u);
    for (const finding& f : s.found.found)
      EXPECT_EQ(all.communicators()[index(f.comm)].members.size(), 3u);
  }
  ASSERT_FALSE(c.in_stages.schedule.ranks.empty());
  EXPECT_EQ(judge(analyze_all(all), c.in_stages.schedule, 1, 6), "");
  EXPECT_EQ(validate(all, c.matched, c.order, c.moved, c.in_stages.schedule), "");
}

TEST(subgroups, barriers_of_rows_and_columns) {
  const std::uint32_t rows = 4, columns = 5;
  for (int which = 1; which <= 3; ++which) {
    graph g(rows * columns);
    for (std::uint32_t i = 0; i < rows && which % 2 == 1; ++i)
      add_barrier(g, every(i * columns, 1, columns), 1);
    for (std::uint32_t j = 0; j < columns && which >= 2; ++j)
      add_barrier(g, every(j, columns, rows), 2);
    const found_groups f = search(g);
    for (std::uint32_t i = 0; i < rows && which % 2 == 1; ++i)
      EXPECT_EQ(f.by_group.count({pattern::barrier, every(i * columns, 1, columns)}), 1u) << which;
    for (std::uint32_t j = 0; j < columns && which >= 2; ++j)
      EXPECT_EQ(f.by_group.count({pattern::barrier, every(j, columns, rows)}), 1u) << which;
    EXPECT_EQ(f.all, (which % 2) * 4 + (which / 2) * 5);
    std::size_t barriers = 0, messages = 0;
    for (const rank_plan& r : f.c.schedule.ranks)
      for (const step& s : r.steps)
        ++(s.kind == step_kind::collective ? barriers : messages);
    EXPECT_EQ(barriers, rows * columns * (which == 3 ? 2 : 1));
    EXPECT_EQ(messages, 0u) << "all signals are the barriers'";
  }
}

/// Also where all orders are kept, and where no rank may wait for more than in the graph: a barrier makes none wait that did not.
TEST(subgroups, barriers_are_in_plans_of_every_policy) {
  for (const sync_policy policy : {sync_policy::data, sync_policy::keep_sync})
    for (const region_progress progress : {region_progress::collective, region_progress::as_written}) {
      graph g(12);
      for (std::uint32_t i = 0; i < 3; ++i)
        add_barrier(g, every(4 * i, 1, 4), 1);
      if (progress == region_progress::collective) { // who sends may have to wait, which is not in the graph
        add_by_hand(g, pattern::bcast, {2, 9}, 0x1000, 8);
        g.send(rank_id{5}, segment{}, rank_id{0}, 7); // one way, and no part of a barrier
        g.recv(rank_id{0}, segment{}, rank_id{5}, 7);
      }
      compile_options options;
      options.planning.policy = policy;
      options.planning.progress = progress;
      const compilation c = compile(g, options);
      ASSERT_FALSE(has_errors(c.problems));
      EXPECT_EQ(c.found.found.size(), 3u);
      EXPECT_FALSE(c.schedule.as_written) << c.schedule.detail;
      EXPECT_EQ(judge(analyze_all(with_groups(g, c.groups)), c.schedule, 1, 6, policy), "");
      for (const rank_plan& r : c.schedule.ranks)
        EXPECT_EQ(std::ranges::count(r.steps, step_kind::collective, &step::kind), 1);
    }
}

TEST(subgroups, barriers_share_ranks_and_the_groups_of_data) {
  graph g(12);
  const ranks_of first{0, 1, 2, 3, 4, 5}, second{4, 5, 6, 9, 11}, apart{7, 8, 10};
  add_barrier(g, first, 1);
  add_barrier(g, second, 2);
  add_barrier(g, apart, 3); // three are neighbors
  add_by_hand(g, pattern::alltoall, first, 0x4000, 8);
  const found_groups f = search(g);
  EXPECT_EQ(f.by_group.count({pattern::barrier, first}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::barrier, second}), 1u);
  EXPECT_EQ(f.by_group.count({pattern::alltoall, first}), 1u);
  EXPECT_EQ(f.all, 3);
  EXPECT_EQ(f.c.groups.size(), 2u);
}

/// Signals one way, and among neighbors, are no barrier; nor is one among some ranks if all have one.
TEST(subgroups, signals_are_no_barriers) {
  graph one_way(8);
  op_id heard = no_op;
  for (std::uint32_t r = 0; r + 1 < 8; ++r) {
    const op_id sent = one_way.send(rank_id{r}, segment{}, rank_id{r + 1});
    if (heard != no_op)
      one_way.depend(heard, sent);
    heard = one_way.recv(rank_id{r + 1}, segment{}, rank_id{r});
  }
  EXPECT_EQ(search(one_way).all, 0);

  graph ring(8);
  for (std::uint32_t r = 0; r < 8; ++r)
    for (const std::uint32_t to : {(r + 1) % 8, (r + 7) % 8}) {
      ring.send(rank_id{r}, segment{}, rank_id{to});
      ring.recv(rank_id{to}, segment{}, rank_id{r});
    }
  EXPECT_EQ(search(ring).all, 0);

  graph one_after_the_other(16);
  for (std::uint32_t i = 0; i < 4; ++i)
    add_barrier(one_after_the_other, every(4 * i, 1, 4), 1);
  std::vector<op_id> last(16, no_op);
  const std::size_t first_ones = one_after_the_other.size();
  for (std::uint32_t i = 0; i < first_ones; ++i)
    last[index(one_after_the_other[op_id{i}].rank)] = op_id{i};
  for (std::uint32_t j = 0; j < 4; ++j)
    add_barrier(one_after_the_other, every(j, 4, 4), 2);
  for (std::size_t i = first_ones; i < one_after_the_other.size(); ++i) {
    const op_id op{static_cast<std::uint32_t>(i)};
    one_after_the_other.depend(last[index(one_after_the_other[op].rank)], op);
  }
  const found_groups f = search(one_after_the_other);
  EXPECT_EQ(f.all, 1);
  EXPECT_EQ(f.by_group.count({pattern::barrier, every(0, 1, 16)}), 1u);
}

/// All of a random table that says who has heard from whom: each group is one, and planted ones that keep to themselves are found.
TEST(subgroups, barriers_are_cliques_of_those_who_have_heard_from_each_other) {
  std::mt19937_64 random(oracle::fuzz_seed());
  for (std::uint64_t i = 0; i < oracle::fuzz_count(); ++i) {
    const auto ranks = static_cast<std::uint32_t>(5 + random() % 80);
    wait_sets heard;
    heard.words_per_rank = (ranks + 63) / 64;
    heard.words.assign(heard.words_per_rank * ranks, 0);
    const auto hear = [&](std::uint32_t a, std::uint32_t b) {
      if (a != b)
        heard.words[a * heard.words_per_rank + b / 64] |= std::uint64_t{1} << (b % 64);
    };
    ranks_of order(ranks);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<rank_set> planted;
    for (std::size_t at = 0; at + 4 <= order.size();) {
      const std::size_t n = std::min<std::size_t>(4 + random() % 6, order.size() - at);
      rank_set group;
      for (std::size_t k = at; k < at + n; ++k)
        group.push_back(rank_id{order[k]});
      for (const rank_id a : group)
        for (const rank_id b : group)
          hear(index(a), index(b));
      std::ranges::sort(group);
      if (n < ranks)
        planted.push_back(group);
      at += n;
    }
    const bool apart = random() % 2 == 0;
    for (std::uint32_t a = 0; a < ranks; ++a)
      for (std::uint32_t b = 0; b < ranks; ++b)
        if (random() % 4 == 0 && (!apart || a < b)) // one way only, or both here and there
          hear(a, b);
    const std::vector<rank_set> found = barrier_groups(heard, ranks);
    for (const rank_set& group : found) {
      ASSERT_GE(group.size(), 4u);
      ASSERT_LT(group.size(), ranks);
      for (const rank_id a : group)
        for (const rank_id b : group)
          ASSERT_TRUE(a == b || heard.contains(a, b));
    }
    for (const rank_set& group : planted)
      ASSERT_TRUE(!apart || std::ranges::count(found, group) == 1) << i;
  }
}

TEST(subgroups, groups_have_names_that_can_be_read) {
  const auto named = [](const ranks_of& members) {
    rank_set set;
    for (const std::uint32_t r : members)
      set.push_back(rank_id{r});
    return name_of_group(set);
  };
  EXPECT_EQ(named({0, 1, 2, 3}), "ranks-0-3");
  EXPECT_EQ(named({1, 5, 9}), "ranks-1-9-by-4");
  EXPECT_EQ(named({9, 5, 1}), "ranks-9-1-by-4");
  EXPECT_EQ(named({3, 2, 1, 0}), "ranks-3-0");
  EXPECT_EQ(named({40, 0, 1, 5, 6, 7, 8}), "7-ranks-of-0-40");
  EXPECT_EQ(named({0, 1, 5}), "ranks-0-1-5");
  EXPECT_EQ(named({0, 1, 5, 6, 7, 8, 40}), "7-ranks-of-0-40");
}

/// Collectives of random groups among random messages.
TEST(subgroups, random_graphs_keep_their_meaning) {
  std::uint64_t found = 0, planted = 0;
  const std::uint64_t first = oracle::fuzz_seed(), count = oracle::fuzz_count();
  constexpr pattern kinds[] = {pattern::alltoall, pattern::allgather, pattern::bcast, pattern::gather,
                               pattern::scatter};
  for (std::uint64_t seed = first; seed < first + count / 4; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t ranks = 4 + below(9);
    graph g(ranks);
    ranks_of left(ranks);
    std::iota(left.begin(), left.end(), 0u);
    std::shuffle(left.begin(), left.end(), random);
    std::uint64_t base = 0x1000;
    while (left.size() >= 3) {
      const std::size_t n = 3 + below(left.size() - 2);
      ranks_of members(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(n));
      if (random() % 3 > 0) // else the next one shares ranks
        left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(n));
      else
        left.pop_back();
      const std::uint32_t how = below(8), root = below(static_cast<std::uint32_t>(n));
      if (how == 0)
        add_barrier(g, members, static_cast<int>(base >> 12));
      else if (how == 1) // blocks of all lengths, of all or of one
        add_vector_exchange(
            g, members,
            [&, rooted = below(2) == 0](std::uint32_t a, std::uint32_t) { return rooted && a != root; },
            base);
      else
        add_by_hand(g, kinds[below(5)], members, base, 1 + below(9), below(n));
      base += 0x10000;
      ++planted;
    }
    for (std::uint32_t i = below(6); i > 0; --i) {
      const std::uint32_t from = below(ranks), to = (from + 1 + below(ranks - 1)) % ranks;
      g.send(rank_id{from}, segment{0x800 + 4 * i, 4}, rank_id{to}, 1000);
      g.recv(rank_id{to}, segment{base + 8 * i, 4}, rank_id{from}, 1000);
    }
    const found_groups f = search(g, seed);
    found += static_cast<std::uint64_t>(f.all);
    ASSERT_FALSE(::testing::Test::HasFailure()) << show(g, seed);
  }
  EXPECT_GT(found, planted / 3);
}

} // namespace
} // namespace tacit::test
