// Broadcast algorithms are recognized as those algorithms and nothing like them, and named in words.
#include "recordings/meaning/broadcast_shape.h"
#include "surface/report/recording_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacit::recording {

using namespace recordings;
namespace {

/// HPL's formulas, written down a second time from their description: who each rank receives from.
std::vector<hop> hops_of(const std::vector<std::uint32_t>& parents, std::uint64_t bytes = 1000) {
  std::vector<hop> hops;
  for (std::uint32_t v = 1; v < parents.size(); ++v)
    hops.push_back({parents[v], v, bytes});
  return hops;
}

std::string name_broadcast(std::uint32_t ranks, std::span<const hop> hops, std::uint64_t bytes) {
  return surface::algorithm_text(recognize_broadcast(ranks, hops, bytes));
}

std::string name_of(const std::vector<std::uint32_t>& parents) {
  return name_broadcast(static_cast<std::uint32_t>(parents.size()), hops_of(parents), 1000);
}

std::string short_name_of(const std::vector<std::uint32_t>& parents) {
  return surface::short_algorithm(
      recognize_broadcast(static_cast<std::uint32_t>(parents.size()), hops_of(parents), 1000));
}

TEST(broadcast_shape, names_trees_of_eight_ranks) {
  EXPECT_EQ(name_of({0, 0, 0, 0, 0, 0, 0, 0}), "linear");
  EXPECT_EQ(name_of({0, 0, 1, 2, 3, 4, 5, 6}), "ring");
  EXPECT_EQ(name_of({0, 2, 3, 4, 5, 6, 7, 0}), "backward ring");
  EXPECT_EQ(name_of({0, 0, 0, 2, 3, 4, 5, 6}), "modified ring");
  EXPECT_EQ(name_of({0, 0, 1, 2, 0, 4, 5, 6}), "two rings");
  EXPECT_EQ(name_of({0, 0, 0, 2, 0, 4, 5, 6}), "modified two rings");
  EXPECT_EQ(name_of({0, 0, 0, 2, 0, 4, 4, 6}), "binomial tree");
  EXPECT_EQ(name_of({0, 0, 0, 1, 0, 1, 2, 3}), "binomial tree");
  EXPECT_EQ(name_of({0, 0, 0, 1, 1, 2, 2, 3}), "binary tree");
  EXPECT_EQ(name_of({0, 3, 1, 0, 2, 4, 5, 6}), "chain");
  EXPECT_EQ(name_of({0, 0, 1, 1, 1, 4, 4, 4}), "tree");
}

TEST(broadcast_shape, tells_the_ring_forms_of_six_ranks_apart) {
  EXPECT_EQ(name_of({0, 0, 1, 2, 3, 4}), "ring");
  EXPECT_EQ(name_of({0, 0, 0, 2, 3, 4}), "modified ring");
  EXPECT_EQ(name_of({0, 0, 1, 0, 3, 4}), "two rings");
  EXPECT_EQ(name_of({0, 0, 0, 0, 3, 4}), "modified two rings");
}

TEST(broadcast_shape, says_when_algorithms_coincide) {
  EXPECT_EQ(name_of({0, 0, 0, 2}),
            "modified ring (on 4 ranks the same as two rings, modified two rings, binomial tree)");
}

TEST(broadcast_shape, a_title_has_the_short_name) {
  EXPECT_EQ(short_name_of({0, 0, 0, 2}), "modified ring or equal");
  EXPECT_EQ(short_name_of({0, 0, 1, 2, 3, 4}), "ring");
  EXPECT_EQ(surface::short_algorithm({.shape = broadcast_shape::spread_and_roll, .same_as = {}}),
            "spread and roll");
}

TEST(broadcast_shape, pieces_along_one_tree_are_pipelined) {
  std::vector<hop> hops;
  for (int piece = 0; piece < 3; ++piece)
    for (std::uint32_t v = 1; v < 5; ++v)
      hops.push_back({v - 1, v, 400});
  EXPECT_EQ(name_broadcast(5, hops, 1200), "pipelined ring");
  hops.back().bytes = 300; // the last rank does not get everything
  EXPECT_EQ(name_broadcast(5, hops, 1200), "pieces along several paths");
}

/// Scatter along a halving tree, then every rank exchanges with its neighbors until all have all pieces.
std::vector<hop> spread_and_roll(const std::vector<std::uint32_t>& part) {
  std::vector<hop> hops;
  const auto n = static_cast<std::uint32_t>(part.size());
  for (std::uint32_t v = 1; v < n; ++v)
    hops.push_back({part[0], part[v], 100});
  for (std::uint32_t step = 0; step + 1 < n; ++step)
    for (std::uint32_t v = 0; v < n; ++v)
      hops.push_back({part[v], part[(v + 1) % n], 100});
  return hops;
}

TEST(broadcast_shape, names_spread_and_roll) {
  EXPECT_EQ(name_broadcast(5, spread_and_roll({0, 1, 2, 3, 4}), 500),
            "spread and roll (scatter, then ring allgather)");
  std::vector<hop> modified = spread_and_roll({0, 2, 3, 4});
  modified.insert(modified.begin(), {0, 1, 400});
  EXPECT_EQ(name_broadcast(5, modified, 400),
            "modified spread and roll (all to the successor; scatter, then ring allgather, of the rest)");
  std::vector<hop> across = spread_and_roll({0, 1, 2, 3, 4});
  across.back() = {1, 3, 100}; // not between neighbors
  EXPECT_EQ(name_broadcast(5, across, 500), "pieces along several paths");
}

TEST(broadcast_shape, survives_hops_outside_the_group) {
  const hop bad{9, 1, 10};
  EXPECT_EQ(name_broadcast(3, {&bad, 1}, 10), "tree");
  EXPECT_EQ(name_broadcast(1, {}, 10), "pieces along several paths");
}

} // namespace
} // namespace tacit::recording
