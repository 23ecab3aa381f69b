// Tuning measures any executions: all ranks go on with the one that took the slowest rank the least time, and
// the others are freed, each before its connection.
#include "runtime/run/progress.h"
#include "runtime/run/tuned_run.h"

#include "mpi_main.h"
#include "own_communicator.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tacit::test {
namespace {

using namespace runtime;

/// What has happened to one candidate.
struct record {
  int runs = 0;
  bool run_is_gone = false, peers_are_gone = false;
};

/// Takes time by a clock of its own.
class virtual_run : public execution {
public:
  virtual_run(std::function<double(int run)> seconds, record& r) : seconds_(std::move(seconds)), record_(r) {}
  ~virtual_run() override {
    EXPECT_FALSE(record_.peers_are_gone);
    record_.run_is_gone = true;
  }
  void start() override { now += seconds_(record_.runs++); }
  bool progress() override { return true; }
  void finish() override {}
  static inline double now = 0;

private:
  std::function<double(int run)> seconds_;
  record& record_;
};

class recorded_connection : public connection {
public:
  explicit recorded_connection(record& r) : record_(r) {}
  ~recorded_connection() override { record_.peers_are_gone = true; }
  void create() override {}

private:
  record& record_;
};

class tuning : public own_communicator {
protected:
  /// One candidate per time that it takes on this rank.
  std::unique_ptr<tuned_run> make(const std::vector<double>& seconds, std::uint64_t after) {
    records.assign(seconds.size(), {});
    std::vector<tuned_candidate> candidates;
    for (std::size_t i = 0; i < seconds.size(); ++i)
      candidates.push_back({"number " + std::to_string(i), std::make_unique<recorded_connection>(records[i]),
                            std::make_unique<virtual_run>(always(seconds[i]), records[i])});
    auto made = std::make_unique<tuned_run>(std::move(candidates), after, comm, 7);
    made->take_time_from([] { return virtual_run::now; });
    return made;
  }
  /// As candidates of a compiled graph, of which the first one stays unless another one is faster. What a run of one takes depends on
  /// its number.
  std::unique_ptr<tuned_run> finalists(std::vector<std::function<double(int run)>> seconds,
                                       const graph_trials& trials) {
    records.assign(seconds.size(), {});
    std::vector<tuned_candidate> candidates;
    for (std::size_t i = 0; i < seconds.size(); ++i)
      candidates.push_back({"number " + std::to_string(i), nullptr,
                            std::make_unique<virtual_run>(std::move(seconds[i]), records[i]), -1, i == 0});
    auto made = std::make_unique<tuned_run>(std::move(candidates), trials, comm);
    made->take_time_from([] { return virtual_run::now; });
    return made;
  }
  static std::function<double(int)> always(double seconds) {
    return [=](int) { return seconds; };
  }
  static void run(tuned_run& t, int times) {
    for (int i = 0; i < times; ++i) {
      t.start();
      begin_progress(t);
      wait_for(t);
    }
  }
  std::vector<record> records;
};

constexpr int runs_of_a_trial = static_cast<int>(trial_plan::turns * trial_plan().runs_per_turn);

TEST_F(tuning, all_ranks_take_what_is_fastest_for_the_slowest_rank) {
  // The second candidate is quick on all ranks but the last one, the third one so-so everywhere.
  const bool last = rank == size - 1;
  const auto t = make({0.02, last && size > 1 ? 0.03 : 0.0001, 0.003}, 2);
  EXPECT_EQ(t->describe(), "feedback: 3 variants will be tried after 2 runs\n");
  run(*t, 2);
  EXPECT_EQ(records[0].runs, 2);
  run(*t, 3 * runs_of_a_trial);
  const std::size_t expected = size > 1 ? 2 : 1;
  EXPECT_EQ(t->candidate(), expected) << t->describe();
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].runs, runs_of_a_trial + (i == 0 ? 2 : 0));
    EXPECT_EQ(records[i].run_is_gone, i != expected);
    EXPECT_EQ(records[i].peers_are_gone, i != expected);
  }
  run(*t, 3);
  EXPECT_EQ(records[expected].runs, runs_of_a_trial + 3);
  EXPECT_NE(t->describe().find("changed to number"), std::string::npos) << t->describe();
}

/// Runs of each finalist, in turns of the fewest, and until all ranks know what was measured.
constexpr int of_each = trial_plan::turns * 4, to_agree = 16;

TEST_F(tuning, of_finalists_the_first_one_goes_on_unless_another_one_is_faster) {
  constexpr int after = 3;
  for (const auto& [other, expected] :
       {std::pair{0.0005, 1}, std::pair{0.00196, 0}, std::pair{0.002, 0}, std::pair{0.004, 0}}) {
    const auto t = finalists({always(0.002), always(other)}, {after});
    run(*t, after);
    EXPECT_EQ(records[0].runs, after);
    EXPECT_EQ(records[1].runs, 0);
    run(*t, 2 * of_each);
    EXPECT_EQ(records[0].runs, after + of_each);
    EXPECT_EQ(records[1].runs, of_each);
    run(*t, to_agree - 1);
    EXPECT_TRUE(t->measured().empty());
    run(*t, 1);
    EXPECT_EQ(records[0].runs, after + of_each + to_agree);
    EXPECT_EQ(t->measured().size(), 2u);
    EXPECT_EQ(t->candidate(), static_cast<std::size_t>(expected)) << t->describe();
    t->end();
  }
}

/// Each rank has turns in which the second one is the faster, but never all ranks at once.
TEST_F(tuning, turns_of_finalists_are_those_of_the_slowest_rank) {
  const auto t =
      finalists({always(0.0005), [&](int run) { return run / 4 % 2 == rank % 2 ? 0.0004 : 0.003; }}, {});
  run(*t, 2 * of_each + to_agree);
  EXPECT_NEAR(t->measured()[1], size > 1 ? 0.003 : 0.0004, 1e-9) << t->describe();
  EXPECT_EQ(t->candidate(), size > 1 ? 0u : 1u) << t->describe();
  t->end();
}

TEST_F(tuning, finalists_may_end_at_any_run_and_a_rank_may_be_ahead) {
  for (int runs = 2 * of_each; runs < 2 * of_each + to_agree + 6; ++runs) {
    const auto t = finalists({always(5e-5), always(5e-5)}, {});
    for (int i = 0; i < 2; ++i)
      ASSERT_FALSE(records[static_cast<std::size_t>(i)].run_is_gone);
    run(*t, runs);
    t->end();
    EXPECT_TRUE(records[0].run_is_gone && records[1].run_is_gone);
  }
}

/// The second one is the faster as long as the machine is in one state, and the slower afterwards, when it does not run by itself any more.
TEST_F(tuning, trials_are_repeated_ever_more_rarely_and_what_runs_stays_unless_another_one_is_faster) {
  constexpr int trial = 2 * of_each, between = 100 * trial;
  bool changed = false;
  const auto t =
      finalists({always(0.002), [&](int) { return changed ? 0.003 : 0.0006; }}, {.repeated = true});
  run(*t, trial + to_agree);
  EXPECT_EQ(t->candidate(), 1u) << t->describe();
  EXPECT_NE(t->describe().find("measured again after " + std::to_string(trial + to_agree + between)),
            std::string::npos)
      << t->describe();
  changed = true;
  run(*t, between);
  EXPECT_EQ(records[1].runs, of_each + between);
  run(*t, trial + to_agree);
  EXPECT_EQ(t->candidate(), 0u) << t->describe();
  EXPECT_NEAR(t->measured()[1], 0.003, 1e-9) << t->describe();
  const record before = records[0];
  int pause = between; // it has changed
  for (int again = 0; again < 3; ++again) {
    run(*t, pause + trial + to_agree);
    EXPECT_EQ(t->candidate(), 0u) << t->describe();
    EXPECT_EQ(records[1].runs, (3 + again) * of_each + between + to_agree);
    pause *= 2;
  }
  EXPECT_EQ(records[0].runs, before.runs + 7 * between + 3 * (of_each + to_agree));
  EXPECT_FALSE(records[1].run_is_gone);
  t->end();
  EXPECT_TRUE(records[0].run_is_gone && records[1].run_is_gone);
}

TEST_F(tuning, what_was_far_slower_is_not_tried_again) {
  constexpr int first = 3 * of_each + to_agree, between = 100 * 2 * of_each;
  const auto three = finalists({always(0.002), always(0.01), always(0.0021)}, {.repeated = true});
  run(*three, first);
  EXPECT_NE(three->describe().find("again after " + std::to_string(first + between)), std::string::npos)
      << three->describe();
  run(*three, between + 1);
  EXPECT_NE(
      three->describe().find("again until run " + std::to_string(first + between + 2 * of_each + to_agree)),
      std::string::npos)
      << three->describe();
  run(*three, 2 * of_each + to_agree - 1);
  EXPECT_EQ(records[1].runs, of_each);
  EXPECT_EQ(records[2].runs, 2 * of_each);
  EXPECT_NEAR(three->measured()[1], 0.01, 1e-9);
  EXPECT_NE(three->describe().find("number 1 10 ms"), std::string::npos) << three->describe();
  three->end();
  const auto two = finalists({always(0.002), always(0.01)}, {.repeated = true});
  run(*two, 2 * of_each + to_agree + 5);
  EXPECT_TRUE(records[1].run_is_gone) << "nothing is left to be tried";
  EXPECT_EQ(two->describe().find("again"), std::string::npos) << two->describe();
  run(*two, 2 * between);
  EXPECT_EQ(records[1].runs, of_each);
  two->end();
}

TEST_F(tuning, may_end_before_it_has_decided) {
  for (const int runs : {0, 1, 5}) {
    auto t = make({0.0001, 0.0001}, 1);
    run(*t, runs);
    t.reset();
    EXPECT_TRUE(records[0].run_is_gone && records[1].run_is_gone);
  }
}

TEST(turns, are_longer_where_ranks_share_cores) {
  for (const bool crowded : {false, true})
    EXPECT_EQ(runs_in_a_turn(-1, crowded), 4u);
  EXPECT_EQ(runs_in_a_turn(1e-3, false), 4u);
  EXPECT_EQ(runs_in_a_turn(1e-3, true), 6u);
  EXPECT_EQ(runs_in_a_turn(1e-2, true), 4u);
  EXPECT_EQ(runs_in_a_turn(1.1e-4, false), 5u);
  EXPECT_EQ(runs_in_a_turn(1.1e-4, true), 58u);
  EXPECT_EQ(runs_in_a_turn(1e-7, false), 50u);
  EXPECT_EQ(runs_in_a_turn(1e-7, true), 100u);
}

TEST(fastest, stays_unless_another_one_is_clearly_better) {
  EXPECT_EQ(fastest({1.0, 0.97, 2.0}), 0u);
  EXPECT_EQ(fastest({1.0, 0.9, 0.8}), 2u);
  EXPECT_EQ(fastest({1.0}), 0u);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
