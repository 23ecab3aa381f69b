// A list of slices against the slices that were put into it.
#include "graphs/detect/slice_list.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tacit::test {
namespace {

using namespace graphs;

TEST(slice_list, gives_back_what_was_put_into_it) {
  const auto seed = static_cast<std::uint32_t>(std::random_device()());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<slice> wanted;
    slice_list list;
    list.expect(random() % 3 == 0 ? 1'000 : 0);
    std::uint32_t transfer = 0;
    const std::uint32_t often = random() % 4 == 0 ? 2 : 20; // how rarely a row ends
    for (std::size_t left = random() % 200; left > 0; --left) {
      if (!wanted.empty() && random() % 10 == 0) {
        list.lengthen_last(4);
        wanted.back().length += 4;
      }
      transfer += random() % often == 0 ? 2 : 1;
      const slice s{random() % often == 0 ? 8u : 0u, random() % often == 0 ? 12u : 8u, transfer};
      list.push_back(s);
      wanted.push_back(s);
      ASSERT_EQ(list.back().transfer, s.transfer);
    }
    ASSERT_EQ(list.size(), wanted.size());
    ASSERT_EQ(list.empty(), wanted.empty());
    std::size_t i = 0;
    for (const slice s : list) {
      ASSERT_EQ(s.offset, wanted[i].offset);
      ASSERT_EQ(s.length, wanted[i].length);
      ASSERT_EQ(s.transfer, wanted[i].transfer);
      ++i;
    }
    ASSERT_EQ(i, wanted.size());
  }
}

TEST(slice_list, a_row_is_equal_parts_of_consecutive_transfers) {
  slice_list list;
  list.assign_row({4, 8, 3}, 5);
  EXPECT_EQ(list.size(), 5u);
  EXPECT_EQ(list.back().transfer, 7u);
  list.push_back({4, 8, 8});
  std::uint32_t next = 3;
  for (const slice s : list) {
    EXPECT_EQ(s.offset, 4u);
    EXPECT_EQ(s.length, 8u);
    EXPECT_EQ(s.transfer, next++);
  }
  EXPECT_EQ(next, 9u);
}

} // namespace
} // namespace tacit::test
