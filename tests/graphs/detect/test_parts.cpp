// The parts of detection by themselves.
#include "graphs/detect/lanes.h"
#include "graphs/detect/packing.h"
#include "graphs/detect/uniform.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace tacit::graphs {
namespace {

TEST(detect_parts, packing_is_as_good_as_exhaustive_search) {
  std::mt19937_64 random(20121);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t rows = random() % 4, columns = random() % 4;
    packing_problem p;
    p.row_limit.assign(rows, 3);
    p.column_limit.assign(columns, 3);
    for (std::size_t k = 0; k < rows * columns; ++k)
      p.both.push_back(random() % 5 == 0 ? packing_problem::free_pair : random() % 4);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        p.row_limit[i] = std::min(p.row_limit[i], p.both[i * columns + j]);
        p.column_limit[j] = std::min(p.column_limit[j], p.both[i * columns + j]);
      }
    const auto fits = [&](const std::vector<std::uint64_t>& x, const std::vector<std::uint64_t>& y) {
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          if (p.both[i * columns + j] != packing_problem::free_pair && x[i] + y[j] > p.both[i * columns + j])
            return false;
      for (std::size_t i = 0; i < rows; ++i)
        if (x[i] > p.row_limit[i])
          return false;
      for (std::size_t j = 0; j < columns; ++j)
        if (y[j] > p.column_limit[j])
          return false;
      return true;
    };
    std::uint64_t best = 0;
    std::vector<std::uint64_t> x(rows), y(columns);
    for (std::uint64_t code = 0; code < 1ull << (2 * (rows + columns)); ++code) {
      for (std::size_t k = 0; k < rows + columns; ++k)
        (k < rows ? x[k] : y[k - rows]) = code >> (2 * k) & 3;
      const std::uint64_t value = std::accumulate(x.begin(), x.end(), std::uint64_t{0}) +
                                  std::accumulate(y.begin(), y.end(), std::uint64_t{0});
      if (value > best && fits(x, y))
        best = value;
    }
    for (const bool large_rows : {false, true}) {
      const packing found = pack(p, large_rows);
      EXPECT_TRUE(fits(found.rows, found.columns)) << "round " << round;
      EXPECT_EQ(std::accumulate(found.rows.begin(), found.rows.end(), std::uint64_t{0}) +
                    std::accumulate(found.columns.begin(), found.columns.end(), std::uint64_t{0}),
                best)
          << "round " << round;
    }
  }
}

TEST(detect_parts, packing_takes_sixty_four_bit_volumes) {
  const std::uint64_t huge = ~std::uint64_t{0} - 1;
  const packing found = pack({{huge}, {huge}, {huge}}, true);
  EXPECT_EQ(found.rows[0] + found.columns[0], huge);
}

TEST(detect_parts, common_lengths_are_a_multiset_intersection) {
  common_lengths c;
  c.add(std::vector<std::uint64_t>{4, 8, 4, 2});
  c.add(std::vector<std::uint64_t>{4, 4, 4, 8});
  c.add(std::vector<std::uint64_t>{8, 4});
  EXPECT_EQ(std::vector<std::uint64_t>(c.sorted().begin(), c.sorted().end()),
            (std::vector<std::uint64_t>{4, 8}));
  c.add(7);
  EXPECT_EQ(c.sum(), 0u);
}

TEST(detect_parts, picking_prefers_whole_pieces) {
  using list = std::vector<std::uint64_t>;
  EXPECT_EQ(pick(list{3, 8, 5}, list{8}, 5, completion::exact), (list{0, 8, 5}));
  EXPECT_EQ(pick(list{3, 8, 5}, list{8}, 4, completion::exact), std::nullopt);
  EXPECT_EQ(pick(list{3, 8, 5}, list{8}, 4, completion::cut), (list{3, 8, 1}));
  EXPECT_EQ(pick(list{8, 8}, list{8}, 0, completion::none), (list{8, 0}));
}

TEST(detect_parts, copies_are_counted_byte_by_byte) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<arrival> arrivals;
    std::vector<std::uint32_t> count(24, 0);
    for (std::uint64_t k = random() % 6; k > 0; --k) {
      const std::uint64_t begin = random() % 12, last = begin + random() % 8;
      arrivals.push_back({begin, last, static_cast<std::uint32_t>(k)});
      for (std::uint64_t b = begin; b <= last; ++b)
        ++count[b];
    }
    std::vector<std::uint32_t> found(24, 0);
    for (const address_run& r : count_copies(arrivals))
      for (std::uint64_t b = r.begin; b <= r.last; ++b)
        found[b] += r.copies;
    EXPECT_EQ(found, count) << "round " << round;
  }
}

} // namespace
} // namespace tacit::graphs
