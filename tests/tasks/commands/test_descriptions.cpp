// What is kept of tasks that were submitted before changes nothing: a planner that keeps and one that does not plan the same.
#include "equal_commands.h"

#include <gtest/gtest.h>
#include <random>

namespace tacit::tasks {
namespace {

constexpr coordinate items = 24;

/// What the same random choices submit to two planners.
class twin_planners {
public:
  twin_planners(unsigned seed, std::uint32_t ranks) : random_(seed) {
    planner_options options;
    options.ranks = ranks;
    options.me = rank_id{static_cast<std::uint32_t>(below(static_cast<int>(ranks)))};
    keeping_ = std::make_unique<planner>(options);
    options.keep_descriptions = false;
    forgetting_ = std::make_unique<planner>(options);
    for (int b = 0; b < 3; ++b)
      add_buffer();
    for (int t = 0; t < 1 + below(50); ++t) // more than are kept, now and then
      pool_.push_back(some_task());
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (below(40) == 0)
        replace_buffer();
      submit(pool_[static_cast<std::size_t>(below(static_cast<int>(pool_.size())))]);
      if (below(20) == 0)
        pool_[static_cast<std::size_t>(below(static_cast<int>(pool_.size())))] = some_task();
      if (below(15) == 0)
        wait();
    }
    wait();
  }

  const planner& keeping() const { return *keeping_; }
  const planner& forgetting() const { return *forgetting_; }

private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  void add_buffer() {
    const buffer made{"", 1, range{{items, 1, 1}}, 8, below(2) == 0};
    alive_.push_back(keeping_->create_buffer(made));
    EXPECT_EQ(forgetting_->create_buffer(made), alive_.back());
  }
  /// Tasks that access the old one are wrong from now on.
  void replace_buffer() {
    const auto gone = static_cast<std::size_t>(below(static_cast<int>(alive_.size())));
    keeping_->destroy_buffer(alive_[gone]);
    forgetting_->destroy_buffer(alive_[gone]);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(gone));
    add_buffer();
  }

  mapper some_mapper() {
    switch (below(6)) {
    case 0:
      return all();
    case 1:
      return neighborhood({1 + below(2), 0, 0});
    case 2:
      return fixed(box_of({4, 0, 0}, {9 + below(2), 1, 1}));
    case 3:
      return from_function("function", [](const box& chunk, const box&, const range&) { return chunk; });
    default:
      return one_to_one();
    }
  }

  task some_task() {
    task t;
    t.name = below(2) ? "a" : "b";
    t.kind = below(4) ? task_kind::kernel : task_kind::host;
    t.shape.global = box_of(range{{below(3) ? items : items / 2, 1, 1}});
    if (below(6) == 0) {
      std::vector<std::uint32_t> weights;
      for (std::uint32_t r = 0; r < keeping_->options().ranks; ++r)
        weights.push_back(1 + r % 2);
      t.shape.weights = weights;
    }
    if (below(8) == 0)
      t.host_objects.push_back(host_object_id{7});
    for (int a = 0; a < 1 + below(2); ++a)
      t.accesses.push_back({some_buffer(), access_mode::read, some_mapper()});
    if (below(8) == 0) {
      t.reductions.push_back({some_buffer(), 3, below(2) == 0});
      return t;
    }
    t.accesses.push_back({some_buffer(), below(3) ? access_mode::discard_write : access_mode::read_write,
                          below(8) ? one_to_one() : all()}); // where all write all, the task is wrong
    return t;
  }
  buffer_id some_buffer() { return alive_[static_cast<std::size_t>(below(static_cast<int>(alive_.size())))]; }

  void wait() {
    task epoch;
    epoch.kind = task_kind::epoch;
    submit(epoch);
  }

  void submit(const task& t) {
    const std::size_t problems = forgetting_->problems().size();
    ASSERT_EQ(keeping_->submit(t), forgetting_->submit(t));
    ASSERT_EQ(keeping_->stream_hash(), forgetting_->stream_hash());
    ASSERT_EQ(keeping_->problems().size(), forgetting_->problems().size());
    for (std::size_t p = problems; p < forgetting_->problems().size(); ++p)
      ASSERT_EQ(keeping_->problems()[p].message, forgetting_->problems()[p].message);
    expect_equal_commands(keeping_->take(), forgetting_->take());
  }

  std::mt19937 random_;
  std::unique_ptr<planner> keeping_, forgetting_;
  std::vector<buffer_id> alive_;
  std::vector<task> pool_;
};

TEST(descriptions, keeping_them_changes_no_plan) {
  const unsigned first = std::random_device()();
  std::size_t right = 0;
  for (unsigned seed = first; seed < first + 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    twin_planners twins(seed, 1 + seed % 7);
    twins.run(300);
    right += twins.keeping().problems().size() < 250 ? 1 : 0;
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(right, 10u) << "programs whose tasks are nearly all wrong test nothing";
}

TEST(descriptions, a_buffer_that_is_gone_is_missed_by_a_task_that_was_right) {
  planner_options options;
  options.ranks = 2;
  planner p(options);
  const buffer_id gone = p.create_buffer({"P", 1, range{{items, 1, 1}}, 8, true});
  task t;
  t.shape.global = box_of(range{{items, 1, 1}});
  t.accesses.push_back({gone, access_mode::read_write, one_to_one()});
  p.submit(t);
  p.submit(t);
  EXPECT_TRUE(p.problems().empty());
  p.destroy_buffer(gone);
  p.submit(t);
  ASSERT_EQ(p.problems().size(), 1u);
  EXPECT_NE(p.problems()[0].message.find("task 3"), std::string::npos) << p.problems()[0].message;
}

} // namespace
} // namespace tacit::tasks
