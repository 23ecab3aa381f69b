// Trials of how exchanges travel, on ranks in one process with clocks of their own.
#include "runtime/executor/variant_trials.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>

namespace tacit::runtime {
namespace {

using enum exchange_variant;

/// Ranks that begin the same exchanges; a use of exchange e by variant v takes rank r so many seconds.
class ranks {
public:
  ranks(std::size_t count, std::size_t exchanges, known_variant known = {messages, false}) : of_(count) {
    for (one& r : of_) {
      r.trials =
          std::make_unique<variant_trials>([&r, this](const std::vector<double>& mine, const auto& then) {
            r.said.push_back(mine);
            r.waiting.push_back(then);
            ++agreements_;
          });
      for (std::size_t e = 0; e < exchanges; ++e)
        r.exchanges.push_back(std::make_shared<tried_exchange>(tried_exchange{known.first, known.settled}));
    }
  }

  /// Which variant all ranks take; fails if they differ. Ranks know the result of a trial late: just before they need it.
  template <typename Seconds>
  exchange_variant use(std::size_t e, const Seconds& seconds) {
    std::vector<exchange_variant> taken;
    for (std::size_t r = 0; r < of_.size(); ++r) {
      one& rank = of_[r];
      if (rank.exchanges[e]->agreeing)
        hear();
      taken.push_back(rank.trials->next(rank.exchanges[e], rank.now));
      rank.now += seconds(r, taken.back());
    }
    EXPECT_EQ(std::ranges::count(taken, taken[0]), static_cast<std::ptrdiff_t>(taken.size()));
    return taken[0];
  }
  bool settled(std::size_t e) const { return of_[0].exchanges[e]->settled; }
  std::size_t agreements() const { return agreements_ / of_.size(); }

private:
  struct one {
    std::unique_ptr<variant_trials> trials;
    std::vector<std::shared_ptr<tried_exchange>> exchanges;
    std::vector<std::vector<double>> said;
    std::vector<std::function<void(const std::vector<double>&)>> waiting;
    double now = 0;
  };
  /// All have begun what comes before.
  void hear() {
    for (std::size_t i = 0; i < of_[0].said.size(); ++i) {
      std::vector<double> largest = of_[0].said[i];
      for (const one& r : of_) {
        ASSERT_GT(r.said.size(), i) << "a rank waits for one that waits for it";
        for (std::size_t k = 0; k < largest.size(); ++k)
          largest[k] = std::max(largest[k], r.said[i][k]);
      }
      for (const one& r : of_)
        r.waiting[i](largest);
    }
    for (one& r : of_) {
      r.said.clear();
      r.waiting.clear();
    }
  }
  std::vector<one> of_;
  std::size_t agreements_ = 0;
};

constexpr int enough = 100; // uses, more than a trial takes

exchange_variant settled_variant(double by_messages, double by_collective,
                                 known_variant known = {messages, false}) {
  ranks all(3, 1, known);
  const auto seconds = [&](std::size_t r, exchange_variant v) {
    const double slowest = v == messages ? by_messages : by_collective;
    return r == 2 ? slowest : slowest / 2;
  };
  exchange_variant last = messages;
  for (int i = 0; i < enough; ++i)
    last = all.use(0, seconds);
  EXPECT_TRUE(all.settled(0));
  return last;
}

TEST(variant_trials, all_ranks_go_on_with_what_took_the_slowest_rank_less) {
  EXPECT_EQ(settled_variant(2e-5, 1e-5), collective);
  EXPECT_EQ(settled_variant(1e-5, 2e-5), messages);
  EXPECT_EQ(settled_variant(1e-5, 2e-5, {collective, false}), messages);
}

TEST(variant_trials, a_collective_has_to_be_clearly_faster) {
  EXPECT_EQ(settled_variant(1e-5, 0.98e-5), messages);
  EXPECT_EQ(settled_variant(1e-5, 0.96e-5), collective);
}

TEST(variant_trials, both_are_used_equally_often) {
  ranks all(2, 1);
  std::array<int, 2> uses{};
  int before = 0;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(all.use(0, [](std::size_t, exchange_variant) { return 1e-5; }), messages);
  for (; !all.settled(0); ++before)
    ++uses[static_cast<std::size_t>(all.use(0, [](std::size_t, exchange_variant) { return 1e-5; }))];
  EXPECT_EQ(uses[0], uses[1] + 1); // the last one only tells that the turns are over
  EXPECT_LT(before, enough);
}

TEST(variant_trials, what_disturbs_one_turn_does_not_count) {
  ranks all(2, 1);
  int i = 0;
  exchange_variant last = messages;
  for (; i < enough; ++i)
    last = all.use(0, [&](std::size_t, exchange_variant v) {
      return i == 10 || i == 17 ? 1.0 : v == messages ? 2e-5 : 1e-5;
    });
  EXPECT_EQ(last, collective);
}

/// Ranks that share cores have turns of very different lengths by either way.
TEST(variant_trials, a_collective_has_to_be_faster_than_messages_were_once) {
  constexpr int before = 2, of_one_turn = 6, third_of_messages = before + 4 * of_one_turn;
  ranks all(2, 1);
  exchange_variant last = messages;
  for (int i = 0; i < enough; ++i)
    last = all.use(0, [&](std::size_t, exchange_variant v) {
      const bool quick = i >= third_of_messages && i < third_of_messages + of_one_turn;
      return v == collective ? 1.5e-5 : quick ? 1e-5 : 2e-5;
    });
  EXPECT_EQ(last, messages);
}

/// Else each would count what the other one's turns take.
TEST(variant_trials, one_exchange_is_tried_at_a_time) {
  ranks all(2, 2);
  std::array<exchange_variant, 2> last{};
  int both = 0;
  for (int i = 0; i < 3 * enough; ++i) {
    last[0] = all.use(0, [](std::size_t, exchange_variant v) { return v == messages ? 2e-5 : 1e-5; });
    last[1] = all.use(1, [](std::size_t, exchange_variant v) { return v == messages ? 1e-5 : 3e-5; });
    both += last[0] == collective && last[1] == collective && !all.settled(0) ? 1 : 0;
  }
  EXPECT_EQ(both, 0);
  EXPECT_EQ(last[0], collective);
  EXPECT_EQ(last[1], messages);
  EXPECT_EQ(all.agreements(), 2u);
}

TEST(variant_trials, an_exchange_that_stops_makes_room_for_others) {
  ranks all(2, 2);
  const auto same = [](std::size_t, exchange_variant) { return 1e-5; };
  for (int i = 0; i < 5; ++i)
    all.use(0, same);
  exchange_variant last = messages;
  for (int i = 0; i < 500; ++i)
    last = all.use(1, [](std::size_t, exchange_variant v) { return v == messages ? 2e-5 : 1e-5; });
  EXPECT_EQ(last, collective);
  EXPECT_EQ(all.use(0, same), messages);
  EXPECT_TRUE(all.settled(0));
}

TEST(variant_trials, any_program_takes_the_same_variants_on_all_ranks) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int program = 0; program < 20; ++program) {
    const std::size_t count = 2 + random() % 4, exchanges = 1 + random() % 5;
    ranks all(count, exchanges, {random() % 2 ? messages : collective, random() % 8 == 0});
    for (int i = 0; i < 600 && !HasFailure(); ++i)
      all.use(random() % exchanges,
              [&](std::size_t, exchange_variant) { return 1e-5 * static_cast<double>(1 + random() % 20); });
  }
}

TEST(variant_trials, few_ranks_and_many_need_none) {
  for (const bool crowded : {false, true}) {
    EXPECT_EQ(variant_for(2, crowded).first, messages);
    EXPECT_TRUE(variant_for(4, crowded).settled);
    EXPECT_FALSE(variant_for(5, crowded).settled);
    EXPECT_FALSE(variant_for(16, crowded).settled);
    EXPECT_TRUE(variant_for(4096, crowded).settled);
    EXPECT_EQ(variant_for(4096, crowded).first, collective);
  }
  EXPECT_EQ(variant_for(8, true).first, messages);
  EXPECT_EQ(variant_for(8, false).first, collective);
}

} // namespace
} // namespace tacit::runtime
