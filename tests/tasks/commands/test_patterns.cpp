// Which collective becomes of which pattern: Table 2 of the CPD paper, and what goes beyond it.
#include "plan_machine.h"
#include "program_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

using oracle::division;
using oracle::job;
using oracle::program;
using oracle::touch;
using oracle::use;
using oracle::way;

using counts = std::map<std::string, int>;

const touch one{way::one_to_one}, everything_of{way::all}, turned{way::transposed, {1, 0, 2}},
    near{way::around, {1, 1, 0}};

use read_of(int buffer, const touch& t) {
  return {buffer, true, false, t};
}
use write_of(int buffer, const touch& t) {
  return {buffer, false, true, t};
}

job job_over(const oracle::where& size, std::vector<use> uses, division split = division::rows) {
  job j;
  j.size = size;
  j.uses = std::move(uses);
  j.split = split;
  return j;
}

/// The plan of a program, executed and held against the oracle.
struct planned_program {
  explicit planned_program(program what, machine_options options = {})
      : p(std::move(what)), e(oracle::expect(p)), m(p, e, options) {
    EXPECT_TRUE(e.valid) << text_of(p);
    EXPECT_TRUE(m.problems.empty());
    m.run();
    EXPECT_EQ(m.trouble, "") << text_of(p);
    EXPECT_TRUE(m.arrivals == std::multiset<oracle::arrival>(e.arrivals.begin(), e.arrivals.end()))
        << text_of(p);
  }
  /// The most elements that a rank sends.
  int most_sent() const {
    std::map<int, int> sent;
    for (const oracle::arrival& a : m.arrivals)
      ++sent[a.from];
    int most = 0;
    for (const auto& [rank, n] : sent)
      most = std::max(most, n);
    return most;
  }
  program p;
  oracle::expectation e;
  plan_machine m;
};

constexpr oracle::where line{24, 1, 1}, square{8, 8, 1};

program on(int ranks, const oracle::where& extent, std::vector<job> jobs, int buffers = 3) {
  return {ranks, std::vector<oracle::where>(static_cast<std::size_t>(buffers), extent), std::move(jobs)};
}

void expect_collectives(const program& p, const counts& wanted, std::size_t messages = 0) {
  const planned_program run(p);
  EXPECT_EQ(run.m.collectives, wanted) << text_of(p);
  EXPECT_EQ(run.m.messages, messages) << text_of(p);
}

TEST(patterns, of_table_2) {
  const job by_all = job_over(line, {write_of(0, one)}),
            by_one = job_over(line, {write_of(0, one)}, division::single);
  expect_collectives(on(4, line, {by_one, job_over(line, {read_of(0, everything_of)})}), {{"broadcast", 1}});
  expect_collectives(on(4, line, {by_one, job_over(line, {read_of(0, one)})}), {{"scatter", 1}});
  expect_collectives(on(4, line, {by_all, job_over(line, {read_of(0, one)}, division::single)}),
                     {{"gather", 1}});
  expect_collectives(on(4, line, {by_all, job_over(line, {read_of(0, everything_of)})}), {{"allgather", 1}});
  expect_collectives(
      on(4, square, {job_over(square, {write_of(0, one)}), job_over(square, {read_of(0, turned)})}),
      {{"alltoall", 1}});
}

TEST(patterns, of_equal_work_move_nothing) {
  expect_collectives(on(4, line, {job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, one)})}),
                     {});
}

TEST(patterns, n_body_is_one_allgather_a_step) {
  std::vector<job> jobs;
  for (int step = 0; step < 3; ++step) {
    jobs.push_back(job_over(line, {read_of(0, everything_of), {1, true, true, one}}));
    jobs.push_back(job_over(line, {{0, true, true, one}, read_of(1, one)}));
  }
  expect_collectives(on(4, line, jobs), {{"allgather", 2}});
}

TEST(patterns, n_body_with_an_array_a_coordinate_is_one_allgather_a_step_all_the_same) {
  std::vector<job> jobs;
  for (int step = 0; step < 3; ++step) {
    jobs.push_back(job_over(line, {read_of(0, everything_of),
                                   read_of(1, everything_of),
                                   read_of(2, everything_of),
                                   {3, true, true, one},
                                   {4, true, true, one},
                                   {5, true, true, one}}));
    for (int c = 0; c < 3; ++c)
      jobs.push_back(job_over(line, {{c, true, true, one}, read_of(3 + c, one)}));
  }
  expect_collectives(on(4, line, jobs, 6), {{"allgather", 2}});
}

TEST(patterns, a_gather_before_an_allgather_is_one_allgather) {
  const oracle::where long_line{256, 1, 1};
  const planned_program run(on(16, long_line,
                               {job_over(long_line, {write_of(0, one)}),
                                job_over(long_line, {read_of(0, everything_of)}, division::single),
                                job_over(long_line, {read_of(0, everything_of)})},
                               1));
  EXPECT_EQ(run.m.collectives, (counts{{"allgather", 1}}));
  EXPECT_EQ(run.most_sent(), 16 * 15) << "the root sends no more than the others";
}

TEST(patterns, what_a_fence_parts_is_exact_all_the_same) {
  job fence = job_over({1, 1, 1}, {read_of(1, everything_of)});
  fence.on_every_rank = true;
  const planned_program run(
      on(6, line,
         {job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, everything_of)}, division::single),
          fence, job_over(line, {read_of(0, everything_of)})}));
  EXPECT_EQ(run.m.collectives, (counts{{"alltoall", 1}, {"gather", 1}}))
      << "the root has all of it, so it receives nothing again";
}

TEST(patterns, a_fence_reads_on_every_rank) {
  job fence = job_over({1, 1, 1}, {read_of(0, everything_of)});
  fence.on_every_rank = true;
  expect_collectives(on(4, line, {job_over(line, {write_of(0, one)}), fence}), {{"allgather", 1}});
}

TEST(patterns, a_stencil_before_an_all_read_is_one_allgather) {
  expect_collectives(on(4, line,
                        {job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, near)}),
                         job_over(line, {read_of(0, everything_of)})}),
                     {{"allgather", 1}});
}

TEST(patterns, look_ahead_ends_where_the_data_are_overwritten) {
  expect_collectives(
      on(4, line,
         {job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, everything_of)}, division::single),
          job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, everything_of)})}),
      {{"allgather", 1}, {"gather", 1}});
}

TEST(patterns, look_ahead_brings_nothing_that_is_overwritten_first) {
  const touch lower{way::fixed, {0, 0, 0}, {12, 1, 1}};
  job upper = job_over({12, 1, 1}, {write_of(0, one)});
  upper.begin = {12, 0, 0};
  expect_collectives(on(4, line,
                        {job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, lower)}), upper,
                         job_over(line, {read_of(0, everything_of)})}),
                     {{"allgather", 2}});
}

TEST(patterns, halos_are_neighborhood_collectives) {
  const job make = job_over(square, {write_of(0, one)}), look = job_over(square, {read_of(0, near)});
  expect_collectives(on(4, square, {make, look}), {{"halo", 1}});
  expect_collectives(on(4, square,
                        {job_over(square, {write_of(0, one)}, division::tiles),
                         job_over(square, {read_of(0, near)}, division::tiles)}),
                     {{"halo", 1}});
  expect_collectives(on(6, square,
                        {job_over(square, {write_of(0, one)}, division::tiles),
                         job_over(square, {read_of(0, {way::cross, {1, 2, 0}})}, division::tiles)}),
                     {{"halo", 1}});
}

/// As with messages, whose receives do not wait for what the rank computes itself; whoever sends waits for what it sends.
TEST(patterns, who_gathers_need_not_have_its_own_part) {
  const planned_program run(on(
      4, line,
      {job_over(line, {write_of(0, one)}), job_over(line, {read_of(0, everything_of)}, division::single)}));
  for (int rank = 0; rank < 4; ++rank) {
    const auto& commands = run.m.commands_of(rank);
    const auto of_kind = [&](command_kind kind) {
      return *std::ranges::find(commands, kind, &command::kind);
    };
    const command writes = of_kind(command_kind::execute), gather = of_kind(command_kind::collective);
    EXPECT_EQ(std::ranges::count(gather.after, writes.id), rank == 0 ? 0 : 1) << "rank " << rank;
  }
}

TEST(patterns, repeated_exchanges_have_one_signature) {
  std::vector<job> jobs;
  for (int step = 0; step < 6; ++step)
    jobs.push_back(job_over(line, {read_of(step % 2, near), write_of(1 - step % 2, one)}));
  const planned_program run(on(4, line, jobs, 2));
  std::map<std::uint64_t, int> seen;
  for (const command& c : run.m.commands_of(1))
    if (c.kind == command_kind::collective)
      ++seen[c.exchange->signature];
  ASSERT_EQ(seen.size(), 2u) << "one for each buffer";
  EXPECT_GE(seen.begin()->second, 2);
}

TEST(patterns, rows_of_a_mesh_gather_among_themselves) {
  const job make = job_over(square, {write_of(0, one)}, division::tiles);
  expect_collectives(
      on(4, square, {make, job_over(square, {read_of(0, {way::slice, {1, 0, 0}})}, division::tiles)}),
      {{"allgather", 2}});
  expect_collectives(
      on(4, square, {make, job_over(square, {read_of(0, {way::slice, {0, 0, 0}})}, division::tiles)}),
      {{"allgather", 2}});
  // SUMMA: rows of one matrix and columns of the other.
  expect_collectives(on(4, square,
                        {make, job_over(square, {write_of(1, one)}, division::tiles),
                         job_over(square,
                                  {read_of(0, {way::slice, {1, 0, 0}}), read_of(1, {way::slice, {0, 0, 0}}),
                                   write_of(2, one)},
                                  division::tiles)}),
                     {{"allgather", 4}});
}

TEST(patterns, several_buffers_and_producers_travel_together) {
  expect_collectives(
      on(4, line,
         {job_over(line, {write_of(0, one)}), job_over(line, {write_of(1, one)}),
          job_over(line, {write_of(2, one)}),
          job_over(line, {read_of(0, everything_of), read_of(1, everything_of), read_of(2, everything_of)})}),
      {{"allgather", 1}});
  job upper = job_over({12, 1, 1}, {write_of(0, one)}), lower = upper;
  lower.begin = {12, 0, 0};
  expect_collectives(on(4, line, {upper, lower, job_over(line, {read_of(0, everything_of)})}),
                     {{"allgather", 1}});
}

TEST(patterns, of_fewer_chunks_than_ranks) {
  const oracle::where few{3, 1, 1};
  expect_collectives(
      on(6, few, {job_over(few, {write_of(0, one)}), job_over(few, {read_of(0, everything_of)})}),
      {{"allgather", 1}});
  expect_collectives(
      on(6, few, {job_over(few, {write_of(0, one)}), job_over(line, {read_of(0, everything_of)})}),
      {{"allgather", 1}});
  // Readers are fewer than writers: the others get nothing.
  expect_collectives(
      on(6, line, {job_over(line, {write_of(0, one)}), job_over(few, {read_of(0, everything_of)})}),
      {{"alltoall", 1}});
}

TEST(patterns, of_reductions) {
  job sum = job_over(line, {});
  sum.reduces_into = 0;
  expect_collectives(on(4, line, {sum, job_over(line, {read_of(0, everything_of)})}), {{"allreduce", 1}});
  expect_collectives(on(4, line, {sum, job_over(line, {read_of(0, everything_of)}, division::single)}),
                     {{"reduce", 1}});
  expect_collectives(on(4, line, {sum, job_over(line, {read_of(0, one)})}), {{"reduce_scatter", 1}});
  expect_collectives(on(4, line, {sum}), {});
}

/// What ranks do for C += A B, a panel of k at a time, with functions of the program for the panels.
std::map<std::string, int> commands_of_summa(std::uint32_t ranks, std::uint32_t me) {
  constexpr coordinate n = 64, panel = 8;
  planner_options options;
  options.ranks = ranks;
  options.me = rank_id{me};
  planner planned(options);
  for (int b = 0; b < 3; ++b)
    planned.create_buffer({"", 2, range{{n, n, 1}}, 8, false});
  const auto over_c = [](std::vector<access> accesses) {
    task t;
    t.shape.dims = 2;
    t.shape.global = box_of(range{{n, n, 1}});
    t.shape.split = split_rule::two_dim;
    t.accesses = std::move(accesses);
    return t;
  };
  const auto all_of = [](std::uint32_t b, access_mode mode) {
    return access{buffer_id{b}, mode, one_to_one()};
  };
  planned.submit(over_c({all_of(0, access_mode::discard_write), all_of(1, access_mode::discard_write),
                         all_of(2, access_mode::discard_write)}));
  for (coordinate k = 0; k < n; k += panel) {
    const interval of_panel{k, k + panel};
    const auto columns = [=](const box& chunk, const box&, const range&) {
      box out = chunk;
      out[1] = of_panel;
      return region(out);
    };
    const auto rows = [=](const box& chunk, const box&, const range&) {
      box out = chunk;
      out[0] = of_panel;
      return region(out);
    };
    planned.submit(over_c({{buffer_id{0}, access_mode::read, from_function("columns", columns)},
                           {buffer_id{1}, access_mode::read, from_function("rows", rows)},
                           all_of(2, access_mode::read_write)}));
  }
  task epoch;
  epoch.kind = task_kind::epoch;
  planned.submit(epoch);
  EXPECT_TRUE(planned.problems().empty());
  std::map<std::string, int> counted;
  for (const command& c : planned.take())
    if (c.kind == command_kind::collective)
      ++counted[fmt::format("{} of {}", name_of(c.exchange->kind), c.members.size())];
    else if (c.kind == command_kind::push || c.kind == command_kind::await_push)
      ++counted["messages"];
  return counted;
}

TEST(patterns, each_panel_of_a_matrix_product_is_a_collective_in_rows_and_one_in_columns) {
  for (std::uint32_t me = 0; me < 16; ++me)
    EXPECT_EQ(commands_of_summa(16, me), (std::map<std::string, int>{{"allgather of 4", 2 * 8}}))
        << "rank " << me;
}

TEST(patterns, edges_say_what_became_of_them) {
  const planned_program run(
      on(4, square,
         {job_over(square, {write_of(0, one)}), job_over(square, {read_of(0, near)}),
          job_over(square, {write_of(1, one)}), job_over(square, {read_of(1, one)}, division::tiles)}));
  const std::vector<exchange_edge>& edges = run.m.of_rank(2).edges();
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].kind, collective_kind::halo);
  EXPECT_EQ(edges[1].kind, std::nullopt);
  EXPECT_EQ(edges[1].why_not, reason::meshes_differ);
}

} // namespace
} // namespace tacit::tasks
