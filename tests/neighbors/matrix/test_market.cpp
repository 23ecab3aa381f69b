// Matrix Market files and the halos of their products.
#include "neighbors/matrix/market.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <tuple>

namespace tacit::neighbors {
namespace {

const std::string head = "%%MatrixMarket matrix coordinate real general\n% a comment\n";

std::string refusal(const std::string& text) {
  try {
    read_matrix_market(text);
  } catch (const matrix_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(market, reads_entries_once_and_in_order) {
  const sparse_pattern p = read_matrix_market(head + "3 3 4\n3 1 1.5\n1 2 2\n\n1 1 7e3\n1 2 5\n");
  EXPECT_EQ(p.rows, 3u);
  EXPECT_EQ(p.first, (std::vector<std::size_t>{0, 2, 2, 3}));
  EXPECT_EQ(p.columns, (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(market, expands_symmetric_matrices) {
  const sparse_pattern p =
      read_matrix_market("%%MATRIXMARKET Matrix Coordinate Pattern Symmetric\r\n2 2 2\r\n1 1\r\n2 1\r\n");
  EXPECT_EQ(p.columns, (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(market, names_what_is_wrong_and_where) {
  EXPECT_NE(refusal("").find("no file in Matrix Market format"), std::string::npos);
  EXPECT_NE(refusal("hello\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal("%%MatrixMarket matrix array real general\n2 2\n").find("'array'"), std::string::npos);
  EXPECT_NE(refusal("%%MatrixMarket matrix coordinate real odd\n2 2 0\n").find("no symmetry"),
            std::string::npos);
  EXPECT_NE(refusal(head).find("sizes is missing"), std::string::npos);
  EXPECT_NE(refusal(head + "2 3 0\n").find("square"), std::string::npos);
  EXPECT_NE(refusal(head + "0 0 0\n").find("number of rows"), std::string::npos);
  EXPECT_NE(refusal(head + "2 2 -1\n").find("'-1'"), std::string::npos);
  EXPECT_EQ(refusal(head + "2 2 1\n3 1 1\n"), "line 4: '3' is no row from 1 to 2");
  EXPECT_EQ(refusal(head + "2 2 1\n1 x 1\n"), "line 4: 'x' is no column from 1 to 2");
  EXPECT_NE(refusal(head + "2 2 3\n1 1 1\n").find("after 1 of 3"), std::string::npos);
  EXPECT_NE(refusal(head + "2 2 18446744073709551615\n1 1 1\n").find("after 1 of"), std::string::npos);
  EXPECT_NE(refusal(head + "2000000000 2000000000 1\n1 1 1\n").find("leave out the empty rows"),
            std::string::npos);
  EXPECT_NE(refusal(head + "2 2 1\n1 1 1\n2 2 1\n").find("more than the 1"), std::string::npos);
}

TEST(market, halo_of_a_chain) {
  const sparse_pattern p = read_matrix_market(head + "4 4 6\n1 2 1\n2 1 1\n2 3 1\n3 2 1\n3 4 1\n4 3 1\n");
  EXPECT_EQ(blocks_of_rows(4, 2), (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(halo_of(p, {0, 0, 1, 1}), (std::vector<halo_edge>{{0, 1, 1}, {1, 0, 1}}));
  EXPECT_TRUE(halo_of(p, {0, 0, 0, 0}).empty());
}

TEST(market, halos_are_what_a_product_needs) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 50; ++i) {
    const unsigned rows = 1 + random() % 30, parts = 1 + random() % 5, entries = random() % 100;
    std::string text =
        head + std::to_string(rows) + " " + std::to_string(rows) + " " + std::to_string(entries) + "\n";
    std::vector<std::uint32_t> part;
    for (unsigned r = 0; r < rows; ++r)
      part.push_back(random() % parts);
    std::set<std::tuple<unsigned, unsigned, unsigned>> needed; // from, to, column
    for (unsigned e = 0; e < entries; ++e) {
      const unsigned row = random() % rows, column = random() % rows;
      text += std::to_string(row + 1) + " " + std::to_string(column + 1) + " 1\n";
      if (part[row] != part[column])
        needed.emplace(part[column], part[row], column);
    }
    std::uint64_t sum = 0;
    for (const halo_edge& e : halo_of(read_matrix_market(text), part)) {
      sum += e.values;
      std::uint64_t here = 0;
      for (const auto& [from, to, column] : needed)
        here += from == e.from && to == e.to;
      EXPECT_EQ(e.values, here);
    }
    EXPECT_EQ(sum, needed.size());
  }
}

TEST(market, adjacency_is_symmetric_without_diagonal) {
  const sparse_pattern a = adjacency(read_matrix_market(head + "3 3 3\n1 1 1\n1 3 1\n2 3 1\n"));
  EXPECT_EQ(a.first, (std::vector<std::size_t>{0, 1, 2, 4}));
  EXPECT_EQ(a.columns, (std::vector<std::uint32_t>{2, 2, 0, 1}));
}

} // namespace
} // namespace tacit::neighbors
