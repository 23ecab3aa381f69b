// What is said about a plan.
#include "tasks/explain/explain.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tacit::tasks {
namespace {

task step(const char* name, split_rule split, std::vector<access> accesses) {
  task t;
  t.name = name;
  t.shape.dims = 2;
  t.shape.global = box_of(range{{8, 8, 1}});
  t.shape.split = split;
  t.accesses = std::move(accesses);
  return t;
}

constexpr buffer_id P{0};

/// A halo, messages between meshes, and a gather that is an all-gather, on rank 1 of 4.
struct example {
  example() {
    plan.create_buffer({"P", 2, {{8, 8, 1}}, 8, false});
    plan.submit(step("make", split_rule::one_dim, {{P, access_mode::discard_write, one_to_one()}}));
    plan.submit(step("smooth", split_rule::one_dim, {{P, access_mode::read, neighborhood({1, 0, 0})}}));
    plan.submit(step("tile", split_rule::two_dim, {{P, access_mode::read, one_to_one()}}));
    plan.submit(step("make", split_rule::one_dim, {{P, access_mode::discard_write, one_to_one()}}));
    plan.submit(step("print", split_rule::none, {{P, access_mode::read, all()}}));
    plan.submit(step("use", split_rule::one_dim, {{P, access_mode::read, all()}}));
    plan.flush();
    commands = plan.take();
  }
  static planner_options options() {
    planner_options out;
    out.ranks = 4;
    out.me = rank_id{1};
    out.keep_graphs = true;
    out.horizon_step = 10; // none here
    return out;
  }
  planner plan{options()};
  std::vector<command> commands;
};

TEST(explain, names_collectives_and_reasons) {
  EXPECT_EQ(explain_text(example().plan),
            "task 2 'smooth' needs [0,8)x[0,8) of buffer 0 'P' from task 1 'make': halo 0\n"
            "task 3 'tile' needs [0,8)x[0,8) of buffer 0 'P' from task 1 'make': messages, TACIT-322 (ranks "
            "are arranged differently)\n"
            "task 5 'print' needs [0,8)x[0,8) of buffer 0 'P' from task 4 'make': allgather 1, as a later "
            "task needs more\n");
}

TEST(explain, says_the_same_to_machines) {
  const auto told = nlohmann::json::parse(explain_json(example().plan));
  EXPECT_EQ(told["ranks"], 4);
  EXPECT_EQ(told["tasks"].size(), 6u);
  ASSERT_EQ(told["exchanges"].size(), 3u);
  EXPECT_EQ(told["exchanges"][0]["collective"], "halo");
  EXPECT_EQ(told["exchanges"][1]["reason"], "TACIT-322");
  EXPECT_EQ(told["exchanges"][2]["ahead"], true);
}

TEST(explain, shows_commands) {
  const example e;
  std::string all;
  for (const command& c : e.commands)
    all += text_of(c, e.plan.buffers()) + "\n";
  EXPECT_NE(all.find("1: execute [2,4)x[0,8), for task 1, after 0\n"), std::string::npos) << all;
  EXPECT_NE(all.find("2: halo 0 among 4 ranks: [0,8)x[0,8) of buffer 0 'P', for task 2, after 0 1\n"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("push [3,4)x[0,4) of buffer 0 'P' to rank 0, for task 3"), std::string::npos) << all;
}

TEST(explain, draws_both_graphs) {
  const example e;
  const std::string tasks_drawn = dot_of_tasks(e.plan),
                    commands_drawn = dot_of_commands(e.commands, e.plan.buffers());
  EXPECT_NE(tasks_drawn.find("t1 -> t2 [label=\"buffer 0 'P' halo 0\", color=blue, constraint=false];"),
            std::string::npos)
      << tasks_drawn;
  EXPECT_NE(tasks_drawn.find("t1 -> t3 [label=\"buffer 0 'P' TACIT-322\", color=gray"), std::string::npos);
  EXPECT_NE(commands_drawn.find("c1 -> c2;"), std::string::npos);
}

TEST(explain, draws_and_writes_names_as_they_are) {
  planner plan(example::options());
  plan.create_buffer({"a\"b\\", 1, {{8, 1, 1}}, 8, false});
  plan.submit(step("two\nlines \xff\x01", split_rule::one_dim, {{P, access_mode::discard_write, all()}}));
  const std::string drawn = dot_of_tasks(plan);
  EXPECT_NE(drawn.find("two\\nlines \xef\xbf\xbd "), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find('\x01'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(explain_json(plan))["buffers"].at(0)["name"], "a\"b\\");
}

TEST(explain, keeps_no_more_than_it_may) {
  planner_options options = example::options();
  options.most_kept = 10;
  planner plan(options);
  plan.create_buffer({"P", 2, {{8, 8, 1}}, 8, false});
  for (int i = 0; i < 50; ++i) {
    plan.submit(step("make", split_rule::one_dim, {{P, access_mode::discard_write, one_to_one()}}));
    plan.submit(step("use", split_rule::one_dim, {{P, access_mode::read, all()}}));
  }
  plan.flush();
  EXPECT_EQ(plan.tasks().size(), 10u);
  EXPECT_EQ(plan.edges().size(), 10u);
  EXPECT_GE(plan.left_out(), 90u + 40u);
  EXPECT_EQ(nlohmann::json::parse(explain_json(plan))["left_out"], plan.left_out());
}

TEST(explain, sums_up_what_a_rank_does) {
  plan_summary sum;
  for (const command& c : example().commands)
    sum.add(c, rank_id{1}, [](buffer_id) { return std::size_t{8}; });
  EXPECT_EQ(sum.commands.at("halo"), 1u);
  EXPECT_EQ(sum.commands.at("allgather"), 1u);
  EXPECT_EQ(sum.commands.at("execute"), 5u) << "one task runs on rank 0 only";
  EXPECT_EQ(sum.bytes_received, 8u * (16 + 4 + 48))
      << "two rows; of the tile the row that is not there yet; an all-gather";
}

} // namespace
} // namespace tacit::tasks
