// Programs that are wrong: the diagnostic names task, buffer and region, and nothing is planned.
#include "tasks/commands/planner.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

task over(coordinate n, std::vector<access> accesses, const char* name = "step") {
  task t;
  t.name = name;
  t.shape.global = box_of(range{{n, 1, 1}});
  t.accesses = std::move(accesses);
  return t;
}

planner planner_of(std::uint32_t ranks, bool initialized = false) {
  planner_options options;
  options.ranks = ranks;
  planner out(options);
  out.create_buffer({"P", 1, {{16, 1, 1}}, 8, initialized});
  return out;
}

void expect_problem(planner& p, reason why, std::initializer_list<const char*> words) {
  ASSERT_EQ(p.problems().size(), 1u);
  const diagnostic& d = p.problems()[0];
  EXPECT_EQ(d.code, number(why));
  EXPECT_EQ(d.level, severity::error);
  for (const char* word : words)
    EXPECT_NE(d.message.find(word), std::string::npos) << d.message << " does not say " << word;
  p.flush();
  for (const command& c : p.take())
    EXPECT_EQ(c.kind, command_kind::epoch);
}

constexpr buffer_id P{0};

TEST(problems, overlapping_writes) {
  planner p = planner_of(4);
  p.submit(over(16, {{P, access_mode::discard_write, all()}}));
  expect_problem(p, reason::overlapping_writes, {"task 1 'step'", "buffer 0 'P'", "[0,16)", "ranks 0 and 1"});
}

TEST(problems, overlapping_writes_of_two_accesses) {
  planner p = planner_of(4);
  const mapper shifted = from_function("shifted", [](const box& chunk, const box&, const range&) {
    box out = chunk;
    out[0] = {chunk[0].begin + 2, chunk[0].end + 2};
    return region(out);
  });
  p.submit(
      over(14, {{P, access_mode::discard_write, one_to_one()}, {P, access_mode::discard_write, shifted}}));
  expect_problem(p, reason::overlapping_writes, {"task 1 'step'", "buffer 0 'P'"});
}

TEST(problems, a_reduction_over_nothing_writes_nothing) {
  planner p = planner_of(4);
  task nothing = over(0, {});
  nothing.reductions.push_back({P, 1, false});
  p.submit(nothing);
  ASSERT_TRUE(p.problems().empty());
  p.submit(over(16, {{P, access_mode::read, one_to_one()}}));
  expect_problem(p, reason::uninitialized_read, {"task 2 'step'", "buffer 0 'P'", "[0,16)"});
}

TEST(problems, buffers_that_were_destroyed) {
  planner p = planner_of(4, true);
  p.submit(over(16, {{P, access_mode::read, all()}}));
  p.destroy_buffer(P);
  p.destroy_buffer(P);
  p.submit(over(16, {{P, access_mode::read, all()}}));
  ASSERT_EQ(p.problems().size(), 1u);
  EXPECT_NE(p.problems()[0].message.find("accesses buffer 0, which does not exist"), std::string::npos)
      << p.problems()[0].message;
  p.flush();
  EXPECT_EQ(std::ranges::count(p.take(), command_kind::execute, &command::kind), 1)
      << "that before is still planned";
  const buffer_id next = p.create_buffer({"Q", 1, {{16, 1, 1}}, 8, true});
  EXPECT_EQ(index(next), 1u);
  p.submit(over(16, {{next, access_mode::read, all()}}));
  EXPECT_EQ(p.problems().size(), 1u);
}

TEST(problems, one_rank_may_write_all) {
  planner p = planner_of(1);
  p.submit(over(16, {{P, access_mode::discard_write, all()}}));
  EXPECT_TRUE(p.problems().empty());
}

TEST(problems, mapper_outside_the_buffer) {
  planner p = planner_of(4, true);
  p.submit(over(20, {{P, access_mode::read, one_to_one()}}));
  expect_problem(p, reason::mapper_outside_buffer,
                 {"task 1 'step'", "one_to_one", "buffer 0 'P'", "[16,20)"});
}

TEST(problems, uninitialized_read) {
  planner p = planner_of(4);
  p.submit(over(12, {{P, access_mode::discard_write, one_to_one()}}, "begin"));
  p.submit(over(16, {{P, access_mode::read, all()}}));
  ASSERT_EQ(p.problems().size(), 1u);
  EXPECT_EQ(p.problems()[0].code, number(reason::uninitialized_read));
  EXPECT_NE(p.problems()[0].message.find("task 2 'step' reads [12,16) of buffer 0 'P'"), std::string::npos)
      << p.problems()[0].message;
}

TEST(problems, mapper_that_is_no_homomorphism) {
  planner p = planner_of(4, true);
  const mapper first_of_chunk = from_function("first", [](const box& chunk, const box&, const range&) {
    box out = chunk;
    out[0].end = out[0].begin + 1;
    return region(out);
  });
  p.submit(over(16, {{P, access_mode::read, first_of_chunk}}));
  expect_problem(p, reason::mapper_not_homomorphic,
                 {"task 1 'step'", "first", "buffer 0 'P'", "[0,8) and [8,16)"});
}

TEST(problems, malformed_tasks) {
  planner p = planner_of(4, true);
  p.submit(over(16, {{buffer_id{7}, access_mode::read, all()}}));
  expect_problem(p, reason::bad_task, {"task 1 'step'", "buffer 7"});
}

TEST(problems, two_reductions_into_a_buffer) {
  planner p = planner_of(4, true);
  task t = over(16, {});
  t.reductions = {{P, 1, false}, {P, 2, false}};
  p.submit(t);
  expect_problem(p, reason::bad_task, {"task 1 'step'", "reduces into buffer 0 twice"});
}

TEST(problems, reduction_that_includes_what_nobody_wrote) {
  planner p = planner_of(4);
  task t = over(16, {});
  t.reductions = {{P, 1, true}};
  p.submit(t);
  expect_problem(p, reason::uninitialized_read,
                 {"task 1 'step'", "[0,16) of buffer 0 'P'", "include_current"});
}

TEST(problems, different_streams_have_different_hashes) {
  planner a = planner_of(4, true), b = planner_of(4, true), c = planner_of(4, true);
  a.submit(over(16, {{P, access_mode::read, all()}}));
  b.submit(over(16, {{P, access_mode::read, all()}}));
  c.submit(over(16, {{P, access_mode::read, one_to_one()}}));
  EXPECT_EQ(a.stream_hash(), b.stream_hash());
  EXPECT_NE(a.stream_hash(), c.stream_hash());
  b.submit(over(16, {{P, access_mode::read, all()}}));
  EXPECT_NE(a.stream_hash(), b.stream_hash());
}

} // namespace
} // namespace tacit::tasks
