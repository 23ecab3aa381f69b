// Planning for ranks that do not exist, in this process: no MPI, no kernels.
#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tacit/tasks.hpp>
#include <thread>

namespace tacit {
namespace {

void fail_if_run(std::size_t) {
  ADD_FAILURE() << "a kernel has run";
}

void fill(queue& q, const buffer<double, 1>& x) {
  q.submit([&](handler& h) {
    const accessor to(x, h, access::one_to_one(), write_only, no_init);
    h.set_name("fill");
    h.parallel_for(x.get_range(), [=](std::size_t i) { fail_if_run(i); });
  });
}

void read_all(queue& q, const buffer<double, 1>& x, const buffer<double, 1>& y) {
  q.submit([&](handler& h) {
    const accessor from(x, h, access::all(), read_only);
    const accessor to(y, h, access::one_to_one(), write_only, no_init);
    h.set_name("gather \"all\"");
    h.parallel_for(y.get_range(), [=](std::size_t i) { fail_if_run(i); });
  });
}

/// An all-gather a step; what a rank of `ranks` receives of it is all but its own part.
void steps(std::size_t count, std::size_t elements) {
  queue q;
  const buffer<double, 1> x(elements), y(elements);
  x.set_name("x");
  for (std::size_t i = 0; i < count; ++i) {
    fill(q, x);
    read_all(q, x, y);
  }
}

TEST(simulation, plans_an_allgather_a_step) {
  const simulation s = simulate(64, [] { steps(10, 6400); }, 5);
  EXPECT_EQ(s.ranks, 64u);
  EXPECT_EQ(s.rank, 5u);
  EXPECT_EQ(s.tasks, 20u);
  EXPECT_EQ(s.commands.at("execute"), 20u);
  EXPECT_EQ(s.commands.at("allgather"), 10u);
  EXPECT_EQ(s.commands.count("push"), 0u);
  EXPECT_EQ(s.bytes_received, 10u * 6300 * 8);
  EXPECT_EQ(s.bytes_sent, 0u) << "collectives are no messages";
  EXPECT_NE(s.summary.find("rank 5 of 64: 20 tasks"), std::string::npos) << s.summary;
  EXPECT_NE(s.summary.find("10 allgather"), std::string::npos) << s.summary;
}

TEST(simulation, explains_in_words_and_to_machines) {
  const simulation s = simulate(4, [] { steps(1, 8); }, 1);
  EXPECT_NE(
      s.text.find("task 2 'gather \"all\"' needs [0,8) of buffer 0 'x' from task 1 'fill': allgather 0\n"),
      std::string::npos)
      << s.text;
  EXPECT_NE(s.text.find("execute [2,4), for task 1, after 0\n"), std::string::npos) << s.text;
  const auto told = nlohmann::json::parse(s.json);
  EXPECT_EQ(told["ranks"], 4);
  EXPECT_EQ(told["rank"], 1);
  EXPECT_EQ(told["exchanges"].at(0)["collective"], "allgather");
  EXPECT_EQ(told["buffers"].at(0)["name"], "x");
  const auto& commands = told["commands"];
  const auto gather = std::ranges::find_if(commands, [](const auto& c) { return c["kind"] == "collective"; });
  ASSERT_NE(gather, commands.end());
  EXPECT_EQ((*gather)["ranks"], 4);
  EXPECT_NE(s.task_graph.find("t1 -> t2 [label=\"buffer 0 'x' allgather 0\""), std::string::npos)
      << s.task_graph;
  EXPECT_NE(s.task_graph.find("gather \\\"all\\\""), std::string::npos) << s.task_graph;
  EXPECT_NE(s.command_graph.find("digraph"), std::string::npos);
}

TEST(simulation, costs_the_same_on_65536_ranks) {
  const std::clock_t begun = std::clock(); // of this process's threads: what else runs does not count
  EXPECT_EQ(simulate(64, [] { steps(1000, 1 << 20); }, 63).commands.at("allgather"), 1000u);
  const std::clock_t few = std::clock();
  const simulation s = simulate(65536, [] { steps(1000, 1 << 20); }, 65535);
  const std::clock_t many = std::clock();
  EXPECT_EQ(s.commands.at("allgather"), 1000u);
  EXPECT_EQ(s.bytes_received, std::size_t{8000} * ((1 << 20) - 16));
  EXPECT_LT(many - few, 100 * std::max<std::clock_t>(few - begun, 1))
      << "nothing may cost as much as there are ranks: that would be 1024 times as much";
}

TEST(simulation, weights_say_who_executes_how_much) {
  const auto weighted = [](std::vector<std::uint32_t> weights) {
    return [weights] {
      queue q;
      const buffer<double, 1> x(100);
      q.submit([&](handler& h) {
        h.split_by_weights(weights);
        const accessor to(x, h, access::one_to_one(), write_only, no_init);
        h.parallel_for(x.get_range(), [=](std::size_t i) { fail_if_run(i); });
      });
    };
  };
  EXPECT_NE(simulate(3, weighted({1, 0, 3}), 0).text.find("execute [0,25)"), std::string::npos);
  EXPECT_EQ(simulate(3, weighted({1, 0, 3}), 1).commands.count("execute"), 0u);
  EXPECT_NE(simulate(3, weighted({1, 0, 3}), 2).text.find("execute [25,100)"), std::string::npos);
  EXPECT_THROW(simulate(3, weighted({1, 1})), task_error);
  EXPECT_THROW(simulate(2, weighted({0, 0})), task_error);
}

TEST(simulation, weights_of_one_object_and_equal_ones_are_the_same_task) {
  const auto program = [](bool one_object) {
    return [one_object] {
      queue q;
      const rank_weights weights{1, 0, 3};
      const buffer<double, 1> x(100);
      for (int step = 0; step < 20; ++step)
        q.submit([&](handler& h) {
          h.split_by_weights(one_object ? weights : rank_weights(weights.get()));
          const accessor to(x, h, access::one_to_one(), write_only, no_init);
          h.parallel_for<class weighted>(x.get_range(), [=](std::size_t i) { fail_if_run(i); });
        });
    };
  };
  EXPECT_EQ(simulate(3, program(true), 2).text, simulate(3, program(false), 2).text);
}

TEST(simulation, fences_give_zeros_and_host_objects_as_they_are) {
  simulate(3, [] {
    queue q;
    const std::vector<int> ones(100, 1);
    const buffer<int, 1> x(ones.data(), 100);
    const host_object<int> counted(7);
    q.submit([&](handler& h) {
      const side_effect use(counted, h);
      h.host_task(collective, [=] { ADD_FAILURE() << "a host task has run"; });
    });
    const auto all = q.fence(x).get();
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_EQ(all[i], 0);
    EXPECT_EQ(q.fence(counted).get(), 7);
    q.wait(barrier);
  });
}

TEST(simulation, reports_wrong_tasks_and_wrong_numbers) {
  EXPECT_THROW(simulate(0, [] {}), task_error);
  EXPECT_THROW(simulate(65537, [] {}), task_error);
  EXPECT_THROW(simulate(4, [] {}, 4), task_error);
  try {
    simulate(4, [] {
      queue q;
      const buffer<double, 1> x(8), y(8);
      x.set_name("positions");
      read_all(q, x, y);
    });
    FAIL() << "nobody has written what is read";
  } catch (const task_error& e) {
    EXPECT_NE(std::string(e.what()).find("buffer 0 'positions'"), std::string::npos) << e.what();
  }
  EXPECT_THROW(simulate(2, [] { throw std::out_of_range("mine"); }), std::out_of_range);
}

TEST(simulation, runs_on_several_threads_and_in_each_other) {
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t <= 4; ++t)
    threads.emplace_back([t] {
      const simulation outer = simulate(t * 8, [t] {
        steps(20, 512);
        EXPECT_EQ(simulate(t, [] { steps(3, 64); }).ranks, t);
      });
      EXPECT_EQ(outer.commands.at("allgather"), 20u);
    });
  for (std::thread& t : threads)
    t.join();
}

TEST(simulation, forgets_buffers_that_were_destroyed) {
  const simulation s = simulate(16, [] {
    queue q;
    for (int i = 0; i < 2000; ++i) {
      const buffer<double, 1> x(64), y(64);
      fill(q, x);
      read_all(q, x, y);
    }
  });
  EXPECT_EQ(s.commands.at("allgather"), 2000u);
}

} // namespace
} // namespace tacit
