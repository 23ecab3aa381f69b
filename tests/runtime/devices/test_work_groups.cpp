// Items of random groups at random barriers: all come to each barrier, in the order of their numbers, before any goes on; what one
// throws, or misses, ends the others and releases what they hold.
#include "runtime/devices/work_groups.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace tacit::runtime {
namespace {

struct wanted_error {};

struct random_group {
  explicit random_group(unsigned seed) {
    std::mt19937 random(seed);
    items = 1 + random() % 70;
    barriers = random() % 5;
    culprit = random() % items;
    throws = random() % 6 == 0;
    misses = !throws && random() % 6 == 0 && items > 1 && barriers > 0;
    came.resize(barriers + 1);
  }
  void run_item(std::size_t item) {
    const auto mine = held; // released however the item ends
    for (std::size_t part = 0; part <= barriers; ++part) {
      if (throws && item == culprit && part == barriers / 2)
        throw wanted_error();
      if (misses && item == culprit && part == barriers - 1)
        return;
      came[part].push_back(item);
      if (part < barriers)
        work_groups::of_this_thread().barrier();
    }
  }
  std::size_t items = 0, barriers = 0, culprit = 0;
  bool throws = false, misses = false;
  std::vector<std::vector<std::size_t>> came; ///< by what lies between two barriers
  std::shared_ptr<int> held = std::make_shared<int>();
};

void run(random_group& group) {
  work_groups::of_this_thread().run(
      group.items, [](void* all, std::size_t item) { static_cast<random_group*>(all)->run_item(item); },
      &group);
}

TEST(work_groups, random_groups_meet_at_their_barriers) {
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed < first + 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_group group(seed);
    if (group.throws)
      EXPECT_THROW(run(group), wanted_error);
    else if (group.misses)
      EXPECT_THROW(run(group), task_error);
    else
      run(group);
    EXPECT_EQ(group.held.use_count(), 1);
    if (group.throws || group.misses)
      continue;
    std::vector<std::size_t> all(group.items);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    for (const auto& part : group.came)
      EXPECT_EQ(part, all);
  }
}

} // namespace
} // namespace tacit::runtime
