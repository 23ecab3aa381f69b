// Equal lists of pieces are kept once.
#include "graphs/graph/graph.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tacit;
using namespace tacit::graphs;

namespace {

constexpr rank_id one_rank{0}, other_rank{1};

std::vector<segment> column(std::uint64_t base, std::size_t pieces) {
  std::vector<segment> list;
  for (std::size_t i = 0; i < pieces; ++i)
    list.push_back({base + 16 * i, 8});
  return list;
}

} // namespace

TEST(segment_pool, equal_lists_lie_at_the_same_place) {
  graph g(2);
  const op_id sent = g.send(one_rank, column(0, 20), other_rank),
              received = g.recv(other_rank, column(0, 20), one_rank);
  const op_id other = g.send(one_rank, column(8, 20), other_rank),
              shorter = g.send(one_rank, column(0, 19), other_rank);
  const op_id copied = g.copy(one_rank, column(8, 20), column(0, 20));
  EXPECT_EQ(g.reads(sent).data(), g.writes(received).data());
  EXPECT_EQ(g.reads(other).data(), g.reads(copied).data());
  EXPECT_EQ(g.reads(sent).data(), g.writes(copied).data());
  EXPECT_NE(g.reads(sent).data(), g.reads(other).data());
  EXPECT_NE(g.reads(sent).data(), g.reads(shorter).data());
}

TEST(segment_pool, short_lists_are_kept_again) {
  graph g(2);
  EXPECT_NE(g.reads(g.send(one_rank, column(0, 2), other_rank)).data(),
            g.reads(g.send(one_rank, column(0, 2), other_rank)).data());
}

TEST(segment_pool, a_copy_of_a_graph_has_lists_of_its_own) {
  graph g(2);
  const op_id first = g.send(one_rank, column(0, 20), other_rank);
  graph copy = g;
  const op_id second = copy.send(one_rank, column(0, 20), other_rank);
  EXPECT_NE(g.reads(first).data(), copy.reads(first).data());
  EXPECT_EQ(copy.reads(first).data(), copy.reads(second).data());
}

TEST(segment_pool, operations_keep_the_pieces_they_were_made_with) {
  std::mt19937 random(7);
  graph g(2);
  std::vector<std::vector<segment>> lists;
  for (int i = 0; i < 2000; ++i) {
    lists.push_back(column(random() % 600, random() % 24));
    g.send(one_rank, lists.back(), other_rank);
  }
  for (std::uint32_t i = 0; i < lists.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(g.reads(op_id{i}), lists[i])) << i;
}
