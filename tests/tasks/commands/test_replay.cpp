// A planner that replays windows and one that plans each of them anew plan the same: random programs of loops, disturbed in all the
// ways in which a loop may change from one round to the next.
#include "equal_commands.h"

#include <cstdlib>
#include <random>

namespace tacit::tasks {
namespace {

constexpr coordinate length = 24;

class looping_program {
public:
  explicit looping_program(unsigned seed) : random_(seed) {
    planner_options options;
    options.ranks = static_cast<std::uint32_t>(1 + below(7));
    options.me = rank_id{static_cast<std::uint32_t>(below(static_cast<int>(options.ranks)))};
    options.discover = below(5) > 0;
    options.look_ahead = below(6) > 0;
    options.horizon_step = 1 + below(6);
    options.keep_graphs = below(3) == 0;
    replaying_ = std::make_unique<planner>(options);
    options.replay = false;
    options.keep_descriptions = below(2) > 0;
    planning_ = std::make_unique<planner>(options);
    for (int b = 0; b < 2 + below(3); ++b)
      add_buffer();
  }

  void run(int loops) {
    for (int i = 0; i < loops && !testing::Test::HasFatalFailure(); ++i)
      loop();
    submit(barrier());
    expect_equal_graphs();
  }

  /// Windows of a few kinds in any order, so that each finds what others have left.
  void run_windows(int windows) {
    std::vector<std::vector<task>> kinds(static_cast<std::size_t>(2 + below(3)));
    for (std::vector<task>& kind : kinds)
      for (int t = 1 + below(2); t > 0; --t)
        kind.push_back(some_task());
    for (int i = 0; i < windows && !testing::Test::HasFatalFailure(); ++i) {
      for (const task& t : kinds[one_of(kinds.size())])
        submit(t);
      submit(barrier());
    }
    expect_equal_graphs();
  }

  const planner& replaying() const { return *replaying_; }

private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::size_t one_of(std::size_t n) { return static_cast<std::size_t>(below(static_cast<int>(n))); }

  void loop() {
    std::vector<task> body;
    for (int t = 1 + below(6); t > 0; --t)
      body.push_back(some_task());
    const int calm = below(3) == 0 ? 4 : 60; // rounds between two disturbances
    for (int round = 2 + below(40); round > 0; --round) {
      if (below(calm) == 0)
        disturb(body);
      for (const task& t : body)
        submit(t);
    }
  }

  void disturb(std::vector<task>& body) {
    task& one = body[one_of(body.size())];
    switch (below(9)) {
    case 0: { // another range in this round only
      task other = one;
      other.shape.global = box_of(range{{length / 2, 1, 1}});
      return submit(other);
    }
    case 1:
      return submit(barrier());
    case 2:
      return submit(fence());
    case 3:
      add_buffer();
      return submit(some_task());
    case 4:
      return replace_buffer(body);
    case 5:
      one = some_task();
      return;
    case 6:
      return submit(some_task());
    case 7: { // nobody has a chunk
      task nothing = one;
      nothing.shape.global = {};
      return submit(nothing);
    }
    default:
      replaying_->flush();
      planning_->flush();
    }
  }

  void add_buffer() {
    const buffer made{"", 1, range{{length, 1, 1}}, 8, below(4) > 0};
    alive_.push_back(replaying_->create_buffer(made));
    ASSERT_EQ(planning_->create_buffer(made), alive_.back());
  }
  /// Tasks of the body access another one from now on, most of them.
  void replace_buffer(std::vector<task>& body) {
    const std::size_t gone = one_of(alive_.size());
    const buffer_id old = alive_[gone];
    replaying_->destroy_buffer(old);
    planning_->destroy_buffer(old);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(gone));
    add_buffer();
    for (task& t : body) {
      for (access& a : t.accesses)
        if (a.buffer == old && below(8) > 0)
          a.buffer = alive_.back();
      for (reduction& r : t.reductions)
        if (r.buffer == old)
          r.buffer = alive_.back();
    }
  }

  mapper some_mapper() {
    switch (below(9)) {
    case 0:
    case 1:
      return all();
    case 2:
    case 3:
      return neighborhood({1 + below(2), 0, 0});
    case 4:
      return fixed(box_of({4, 0, 0}, {9 + below(2), 1, 1}));
    case 5:
      return below(6)
                 ? one_to_one()
                 : from_function("same", [](const box& chunk, const box&, const range&) { return chunk; });
    case 6:
      return below(6)
                 ? one_to_one()
                 : from_function("mirrored", [](const box& chunk, const box&, const range&) {
                     return region(box_of({length - chunk[0].end, 0, 0}, {length - chunk[0].begin, 1, 1}));
                   });
    default:
      return one_to_one();
    }
  }

  task some_task() {
    task t;
    t.name = below(2) ? "a" : "b";
    t.kind = below(4) ? task_kind::kernel : task_kind::host;
    t.shape.global = box_of(range{{below(5) ? length : length / 2, 1, 1}});
    if (below(8) == 0) {
      std::vector<std::uint32_t> weights;
      for (std::uint32_t r = 0; r < replaying_->options().ranks; ++r)
        weights.push_back(static_cast<std::uint32_t>(below(3)) + (r == 0 ? 1 : 0));
      t.shape.weights = weights;
    } else if (below(6) == 0) {
      t.shape.split = split_rule::none; // most ranks take no part
    }
    if (below(8) == 0) {
      t.kind = task_kind::collective_host;
      t.shape = {};
      t.shape.split = split_rule::per_rank;
      t.collective_group = static_cast<std::uint32_t>(below(2));
      t.accesses.push_back(
          {some_buffer(), access_mode::read, below(2) ? all() : fixed(box_of({2, 0, 0}, {7, 1, 1}))});
      return t;
    }
    if (below(6) == 0)
      t.host_objects.push_back(host_object_id{static_cast<std::uint32_t>(below(2))});
    for (int a = below(3); a > 0; --a)
      t.accesses.push_back({some_buffer(), access_mode::read, some_mapper()});
    if (below(3) == 0) { // what it reads it leaves as it is, but that more ranks have it
      t.accesses.push_back({some_buffer(), access_mode::read, some_mapper()});
      return t;
    }
    if (below(6) == 0) {
      const buffer_id into = some_buffer();
      std::erase_if(t.accesses, [&](const access& a) { return a.buffer == into; });
      t.reductions.push_back({into, static_cast<std::uint32_t>(below(2)), below(2) == 0});
      return t;
    }
    t.accesses.push_back(
        {some_buffer(), below(3) ? access_mode::discard_write : access_mode::read_write, one_to_one()});
    return t;
  }
  buffer_id some_buffer() { return alive_[one_of(alive_.size())]; }

  static task barrier() {
    task epoch;
    epoch.kind = task_kind::epoch;
    return epoch;
  }
  task fence() {
    task t;
    t.kind = task_kind::fence;
    t.shape.split = split_rule::per_rank;
    t.accesses.push_back({some_buffer(), access_mode::read, fixed(box_of({0, 0, 0}, {length, 1, 1}))});
    return t;
  }

  void submit(const task& t) {
    const std::size_t problems = planning_->problems().size();
    ASSERT_EQ(replaying_->submit(t), planning_->submit(t));
    ASSERT_EQ(replaying_->stream_hash(), planning_->stream_hash());
    ASSERT_EQ(replaying_->next(), planning_->next());
    ASSERT_EQ(replaying_->problems().size(), planning_->problems().size());
    for (std::size_t p = problems; p < planning_->problems().size(); ++p)
      ASSERT_EQ(replaying_->problems()[p].message, planning_->problems()[p].message);
    expect_equal_commands(replaying_->take(), planning_->take());
  }

  void expect_equal_graphs() const {
    ASSERT_EQ(replaying_->tasks().size(), planning_->tasks().size());
    for (std::size_t i = 0; i < planning_->tasks().size(); ++i) {
      ASSERT_EQ(replaying_->tasks()[i].id, planning_->tasks()[i].id);
      ASSERT_EQ(replaying_->tasks()[i].after, planning_->tasks()[i].after) << "task " << i;
    }
    ASSERT_EQ(replaying_->edges().size(), planning_->edges().size());
    for (std::size_t i = 0; i < planning_->edges().size(); ++i) {
      const exchange_edge &a = replaying_->edges()[i], &b = planning_->edges()[i];
      ASSERT_EQ(a.producer, b.producer) << "edge " << i;
      ASSERT_EQ(a.consumer, b.consumer) << "edge " << i;
      ASSERT_EQ(a.buffer, b.buffer);
      ASSERT_EQ(a.where, b.where);
      ASSERT_EQ(a.kind, b.kind);
      ASSERT_EQ(a.why_not, b.why_not);
      ASSERT_EQ(a.number, b.number);
      ASSERT_EQ(a.ahead, b.ahead);
    }
  }

  std::mt19937 random_;
  std::unique_ptr<planner> replaying_, planning_;
  std::vector<buffer_id> alive_;
};

TEST(replay, plans_what_planning_anew_plans) {
  const char* count = std::getenv("TACIT_FUZZ_COUNT");
  const char* given = std::getenv("TACIT_FUZZ_SEED");
  const unsigned first =
      given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  const unsigned programs = count ? static_cast<unsigned>(std::strtoul(count, nullptr, 10)) : 200;
  std::size_t replayed = 0, with_replays = 0;
  for (unsigned seed = first; seed != first + programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "TACIT_FUZZ_SEED=" << seed);
    looping_program program(seed);
    seed % 2 == 0 ? program.run(6) : program.run_windows(120);
    replayed += program.replaying().replayed();
    with_replays += program.replaying().replayed() > 0 ? 1 : 0;
    if (HasFatalFailure())
      return;
  }
  std::printf("%u programs from seed %u on, %zu windows replayed in %zu of them\n", programs, first, replayed,
              with_replays);
  if (programs >= 100) {
    EXPECT_GT(with_replays, programs / 2u) << "programs that replay nothing test nothing";
  }
}

task stencil(int from, int to) {
  task t;
  t.shape.global = box_of(range{{length, 1, 1}});
  t.accesses.push_back(
      {buffer_id{static_cast<std::uint32_t>(from)}, access_mode::read, neighborhood({1, 0, 0})});
  t.accesses.push_back({buffer_id{static_cast<std::uint32_t>(to)}, access_mode::discard_write, one_to_one()});
  return t;
}

TEST(replay, a_loop_is_planned_a_few_times_only) {
  planner_options options;
  options.ranks = 4;
  planner p(options);
  for (int b = 0; b < 2; ++b)
    p.create_buffer({"", 1, range{{length, 1, 1}}, 8, true});
  for (int i = 0; i < 400; ++i)
    p.submit(stencil(i % 2, 1 - i % 2));
  EXPECT_GE(p.replayed(), 90u); // of 100 windows
}

TEST(replay, a_loop_that_returns_to_its_body_after_a_change_is_replayed_again) {
  planner_options options;
  options.ranks = 4;
  planner p(options);
  for (int b = 0; b < 3; ++b)
    p.create_buffer({"", 1, range{{length, 1, 1}}, 8, true});
  std::size_t before = 0;
  for (int phase = 0; phase < 3; ++phase) {
    for (int i = 0; i < 80; ++i)
      p.submit(stencil(i % 2, 1 - i % 2));
    EXPECT_GE(p.replayed(), before + 10) << "phase " << phase;
    before = p.replayed();
    for (int i = 0; i < 3; ++i)
      p.submit(stencil(1, 2));
  }
}

} // namespace
} // namespace tacit::tasks
