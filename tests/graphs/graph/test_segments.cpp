// Whether two lists of segments have a byte in common, against a look at every byte.
#include "graphs/graph/segments.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace tacit::graphs {
namespace {

std::set<std::uint64_t> bytes_of(const std::vector<segment>& list) {
  std::set<std::uint64_t> out;
  for (const segment& s : list)
    for (std::uint64_t i = 0; i < s.length; ++i)
      out.insert(s.address + i);
  return out;
}

std::vector<segment> random_list(std::mt19937& random) {
  std::vector<segment> out;
  for (unsigned left = random() % 5; left > 0; --left)
    out.push_back({1000 + random() % 30, random() % 6});
  return out;
}

std::vector<segment> by_address(std::vector<segment> list) {
  std::sort(list.begin(), list.end(),
            [](const segment& a, const segment& b) { return a.address < b.address; });
  return list;
}

TEST(segments, overlap_where_some_byte_is_in_both) {
  constexpr unsigned seed = 20261;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  int overlapping = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::vector<segment> a = random_list(random), b = random_list(random);
    const std::set<std::uint64_t> in_a = bytes_of(a);
    bool common = false;
    for (const std::uint64_t byte : bytes_of(b))
      common = common || in_a.contains(byte);
    overlapping += common ? 1 : 0;
    ASSERT_EQ(overlap(a, b), common) << "round " << round;
    ASSERT_EQ(overlap_in_order(by_address(a), by_address(b)), common) << "round " << round;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_LT(overlapping, 4000);
}

/// Two columns of one array, for which comparing all pieces with all takes an hour.
TEST(segments, columns_of_one_array_are_told_apart) {
  constexpr std::uint64_t rows = 1 << 20, row = 64;
  std::vector<segment> first, last;
  for (std::uint64_t r = 0; r < rows; ++r) {
    first.push_back({4096 + r * row, 8});
    last.push_back({4096 + r * row + row - 8, 8});
  }
  EXPECT_FALSE(overlap(first, last));
  last[rows / 2].address = first[rows / 3].address + 7;
  EXPECT_TRUE(overlap(first, last));
}

TEST(segments, are_cut_in_packing_order) {
  const std::vector<segment> list{{100, 4}, {50, 0}, {40, 3}, {43, 2}, {10, 5}};
  std::vector<std::uint64_t> all;
  for (const segment& s : list)
    for (std::uint64_t i = 0; i < s.length; ++i)
      all.push_back(s.address + i);
  for (std::size_t begin = 0; begin <= all.size() + 1; ++begin)
    for (std::size_t end = begin; end <= all.size() + 2; ++end) {
      std::vector<std::uint64_t> cut;
      for (const segment& s : bytes_between(list, begin, end))
        for (std::uint64_t i = 0; i < s.length; ++i)
          cut.push_back(s.address + i);
      const std::size_t first = std::min(begin, all.size()), last = std::min(end, all.size());
      EXPECT_EQ(cut, std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                                 all.begin() + static_cast<std::ptrdiff_t>(last)))
          << begin << " to " << end;
    }
  EXPECT_EQ(bytes_between(list, 0, 99), (std::vector<segment>{{100, 4}, {40, 5}, {10, 5}}));
}

TEST(segments, that_end_with_the_address_space_overlap) {
  const std::vector<segment> low{{16, 8}}, high{{~std::uint64_t{0} - 7, 8}};
  EXPECT_FALSE(overlap(low, high));
  EXPECT_FALSE(overlap_in_order(low, high));
  EXPECT_TRUE(overlap_in_order(high, high));
}

} // namespace
} // namespace tacit::graphs
