// Splits cover the execution range, once, in chunks that begin at multiples of the granularity.
#include "tasks/layout/split.h"

#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

geometry shape_of(coordinate x, coordinate y, split_rule rule, range granularity = {}) {
  geometry out;
  out.dims = 2;
  out.global = box_of({3, 5, 0}, {3 + x, 5 + y, 1});
  out.granularity = granularity;
  out.split = rule;
  return out;
}

void expect_cover(const geometry& shape, std::uint32_t ranks) {
  SCOPED_TRACE(testing::Message() << text_of(shape.global) << " on " << ranks);
  const split s = make_split(shape, ranks);
  EXPECT_LE(s.chunks(), ranks);
  std::vector<box> chunks;
  coordinate volume = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const box chunk = s.chunk(r);
    if (chunk.empty())
      continue;
    for (int d = 0; d < dimensions; ++d)
      EXPECT_EQ((chunk[d].begin - shape.global[d].begin) % shape.granularity[d], 0);
    volume += chunk.volume();
    chunks.push_back(chunk);
  }
  EXPECT_EQ(volume, shape.global.volume());
  EXPECT_EQ(region(std::move(chunks)), region(shape.global));
}

TEST(split, covers_the_range_once) {
  for (std::uint32_t ranks = 1; ranks <= 13; ++ranks)
    for (coordinate x : {1, 2, 7, 12, 24})
      for (coordinate y : {1, 5, 8})
        for (const split_rule rule : {split_rule::one_dim, split_rule::two_dim, split_rule::none})
          for (const coordinate granule : {1, 3})
            expect_cover(shape_of(x, y, rule, {{granule, granule, 1}}), ranks);
}

TEST(split, chunks_differ_by_one_granule) {
  const split s = make_split(shape_of(22, 1, split_rule::one_dim), 8);
  for (std::uint32_t r = 0; r < 8; ++r)
    EXPECT_EQ(s.chunk(r)[0].length(), r < 6 ? 3 : 2);
}

TEST(split, fewer_items_than_ranks_make_fewer_chunks) {
  EXPECT_EQ(make_split(shape_of(5, 1, split_rule::one_dim), 8).chunks(), 5u);
  EXPECT_EQ(make_split(shape_of(2, 2, split_rule::two_dim), 8).chunks(), 4u);
  EXPECT_TRUE(make_split(shape_of(5, 1, split_rule::one_dim), 8).chunk(5).empty());
}

TEST(split, two_dimensions_are_near_square) {
  const split s = make_split(shape_of(64, 64, split_rule::two_dim), 16);
  EXPECT_EQ(s.axes[0].parts, 4u);
  EXPECT_EQ(s.axes[1].parts, 4u);
  EXPECT_EQ(s.chunk(5), box_of({3 + 16, 5 + 16, 0}, {3 + 32, 5 + 32, 1}));
}

TEST(split, areas_beyond_64_bits_are_divided_as_well) {
  geometry shape;
  const coordinate n = coordinate{1} << 32;
  shape.global = box_of(range{{n, n, 1}});
  shape.split = split_rule::two_dim;
  EXPECT_EQ(make_split(shape, 64).chunk(63), box_of({n / 8 * 7, n / 8 * 7, 0}, {n, n, 1}));
}

TEST(split, weights_are_shares) {
  geometry shape = shape_of(12, 2, split_rule::one_dim);
  shape.weights = std::vector<std::uint32_t>{1, 3, 0, 2};
  const split s = make_split(shape, 4);
  EXPECT_EQ(s.chunk(0)[0].length(), 2);
  EXPECT_EQ(s.chunk(1)[0].length(), 6);
  EXPECT_TRUE(s.chunk(2).empty());
  EXPECT_EQ(s.chunk(3)[0].length(), 4);
  expect_cover(shape, 4);
}

TEST(split, equal_geometries_share_a_split) {
  split_table table(4);
  const auto a = table.of(shape_of(12, 4, split_rule::one_dim)),
             b = table.of(shape_of(12, 4, split_rule::one_dim));
  EXPECT_EQ(a, b);
  EXPECT_NE(a, table.of(shape_of(13, 4, split_rule::one_dim)));
}

} // namespace
} // namespace tacit::tasks
