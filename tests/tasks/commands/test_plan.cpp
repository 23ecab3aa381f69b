// Plans of all ranks together against the element-wise oracle: every needed element arrives exactly once, from its last writer,
// kernels find what they should, nobody waits for ever, and nothing moves that messages would not have moved.
#include "all_pairs.h"
#include "plan_machine.h"
#include "program_text.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <span>

namespace tacit::tasks {
namespace {

using oracle::division;
using oracle::job;
using oracle::program;
using oracle::touch;
using oracle::use;
using oracle::way;

std::multiset<oracle::arrival> as_multiset(const std::set<oracle::arrival>& all) {
  return {all.begin(), all.end()};
}

struct planning {
  bool discover, look_ahead, functors;
};
constexpr planning every_way[] = {
    {false, false, false}, {true, false, false}, {true, true, false}, {true, true, true}};

/// Runs a program in ways in which the planner can plan it. False if it is no valid program.
bool check(const program& p, unsigned order, std::span<const planning> ways = every_way) {
  const oracle::expectation expected = oracle::expect(p);
  if (!expected.valid)
    return false;
  for (const auto& [discover, look_ahead, functors] : ways) {
    plan_machine machine(p, expected, {discover, look_ahead, order, 4, functors});
    EXPECT_TRUE(machine.problems.empty()) << machine.problems[0].message;
    machine.run();
    EXPECT_EQ(machine.trouble, "");
    EXPECT_TRUE(machine.arrivals == as_multiset(expected.arrivals))
        << machine.arrivals.size() << " elements arrived, " << expected.arrivals.size() << " were needed";
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << text_of(p) << "\n  discover " << discover << ", look-ahead " << look_ahead
                    << ", order " << order;
      return true;
    }
  }
  return true;
}

/// Random programs: valid ones are kept, so that nearly everything the planner can meet is met.
class random_program {
public:
  explicit random_program(unsigned seed) : random_(seed) {}

  program make() {
    program p;
    p.ranks = 1 + below(8);
    dims_ = 1 + below(3);
    for (int b = 1 + below(3); b > 0; --b)
      p.buffers.push_back(extent());
    for (int n = 2 + below(7); n > 0; --n) {
      job j = some_job(p);
      program with = p;
      with.jobs.push_back(j);
      if (oracle::expect(with).valid)
        p = std::move(with);
    }
    return p;
  }

private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  oracle::where extent() {
    const int most = dims_ == 1 ? 24 : dims_ == 2 ? 7 : 4;
    oracle::where out{1, 1, 1};
    if (below(3) > 0 && square_ == 0)
      square_ = 1 + below(most);
    for (int d = 0; d < dims_; ++d)
      out[static_cast<std::size_t>(d)] = square_ > 0 ? square_ : 1 + below(most);
    return out;
  }

  job some_job(const program& p) {
    job j;
    const oracle::where& like =
        p.buffers[static_cast<std::size_t>(below(static_cast<int>(p.buffers.size())))];
    j.size = like;
    if (below(5) == 0)
      for (std::size_t d = 0; d < 3; ++d) {
        j.begin[d] = below(j.size[d]);
        j.size[d] = 1 + below(j.size[d] - j.begin[d]);
      }
    j.split = static_cast<division>(below(8) == 0 ? 2 : below(2));
    if (j.split == division::rows && below(4) == 0)
      for (int r = 0; r < p.ranks; ++r)
        j.weights.push_back(below(4));
    for (int n = 1 + below(3); n > 0; --n) {
      use u;
      u.buffer = below(static_cast<int>(p.buffers.size()));
      const int mode = below(5);
      u.reads = mode != 0;
      u.writes = mode < 2;
      u.what = some_touch(j, p.buffers[static_cast<std::size_t>(u.buffer)], u.writes);
      j.uses.push_back(u);
    }
    if (below(6) == 0) {
      j.reduces_into = below(static_cast<int>(p.buffers.size()));
      std::erase_if(j.uses, [&](const use& u) { return u.buffer == j.reduces_into; });
    }
    return j;
  }

  bool inside(const touch& t, const job& j, const oracle::where& extent) {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t of = t.how == way::transposed ? static_cast<std::size_t>(t.numbers[d]) : d;
      if (t.how == way::slice && static_cast<int>(d) == t.numbers[0])
        continue;
      if (j.begin[of] + j.size[of] > extent[d])
        return false;
    }
    return true;
  }

  touch some_touch(const job& j, const oracle::where& extent, bool writes) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      touch t;
      t.how = static_cast<way>(below(oracle::ways));
      if (writes && (t.how == way::around || t.how == way::cross) && below(4) > 0)
        continue;
      switch (t.how) {
      case way::fixed:
        for (std::size_t d = 0; d < 3; ++d) {
          t.numbers[d] = below(extent[d]);
          t.ends[d] = t.numbers[d] + 1 + below(extent[d] - t.numbers[d]);
        }
        return t;
      case way::around:
      case way::cross:
        t.numbers = {below(3), below(2), below(2)};
        break;
      case way::transposed: {
        static constexpr std::array<int, 3> orders[] = {
            {1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};
        t.numbers = orders[static_cast<std::size_t>(below(5))];
        break;
      }
      case way::slice:
        t.numbers[0] = below(dims_);
        break;
      case way::even:
        t.numbers[0] = 1 + below(3);
        return t;
      case way::all:
        return t;
      default:
        break;
      }
      // Neighborhoods are clamped where they widen; chunks themselves lie inside in all programs.
      if (inside(t, j, extent))
        return t;
    }
    return {way::all, {0, 0, 0}, {0, 0, 0}};
  }

  std::mt19937 random_;
  int dims_ = 1, square_ = 0;
};

TEST(plan, random_programs_move_what_they_need_once) {
  const unsigned first = std::random_device()();
  int planned = 0;
  for (unsigned seed = first; seed < first + 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    planned += check(random_program(seed).make(), seed) ? 1 : 0;
    if (HasFailure())
      return;
  }
  EXPECT_GT(planned, 500);
}

// All pairs of mappers and splits, 1 to 8 ranks, 1 to 3 dimensions, with a third task in turn: 74,416 valid programs. A part of
// them, another one each time, unless ALL_TASK_PROGRAMS=1.
TEST(plan, all_pairs_of_mappers_and_splits_move_what_they_need_once) {
  const std::size_t stride = std::getenv("ALL_TASK_PROGRAMS") ? 1 : 61;
  const std::size_t first = std::random_device()() % stride;
  SCOPED_TRACE(testing::Message() << "first " << first);
  static constexpr planning three_ways[] = {{true, true, false}, {true, false, false}, {true, true, true}};
  std::size_t turn = first, planned = 0;
  for (const auto& [dims, extent] : all_pairs_shapes)
    for (int ranks = 1; ranks <= 8; ++ranks) {
      const three_jobs jobs(ranks, dims, extent);
      for (std::size_t n = turn % stride; n < jobs.count(); n += stride, turn += 7) {
        const program p = jobs.make(n, turn);
        planned += fits(p) && check(p, static_cast<unsigned>(n), three_ways) ? 1 : 0;
        if (HasFailure())
          return;
      }
    }
  RecordProperty("planned", static_cast<int>(planned));
  EXPECT_GT(planned, 30'000 / stride);
}

} // namespace
} // namespace tacit::tasks
