// The mapping of ranks to processes against all permutations, and against the order as it is.
#include "neighbors/topology/mapping.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace tacit::neighbors {
namespace {

using ranks = std::vector<std::uint32_t>;

ranks in_order(std::size_t n) {
  ranks all(n);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

std::uint64_t least_cost(const rank_traffic& traffic, const std::vector<hardware_place>& places) {
  ranks holder = in_order(places.size());
  std::uint64_t least = ~std::uint64_t{0};
  do
    least = std::min(least, mapping_cost(traffic, places, holder));
  while (std::next_permutation(holder.begin(), holder.end()));
  return least;
}

rank_traffic traffic_on(const grid_shape& shape) {
  std::vector<std::vector<edge>> edges;
  for (std::uint32_t r = 0; r < ranks_of(shape); ++r)
    edges.push_back(cartesian_neighborhood(shape, rank_id{r}).destinations);
  return traffic_of(edges);
}

/// Processes dealt out to the nodes like cards, the worst order for a grid.
std::vector<hardware_place> dealt_out(std::size_t processes, std::size_t nodes) {
  std::vector<hardware_place> places;
  for (std::size_t p = 0; p < processes; ++p)
    places.push_back({1 + p % nodes, 1, 1, 1 + p / nodes});
  return places;
}

bool is_permutation_of_all(ranks holder) {
  std::sort(holder.begin(), holder.end());
  return holder == in_order(holder.size());
}

TEST(mapping, distances_grow_from_the_core_to_the_node) {
  const hardware_place here{1, 1, 1, 1};
  EXPECT_EQ(distance(here, here), 0u);
  EXPECT_LT(distance(here, {1, 1, 1, 2}), distance(here, {1, 1, 2, 1}));
  EXPECT_LT(distance(here, {1, 1, 2, 1}), distance(here, {1, 2, 1, 1}));
  EXPECT_LT(distance(here, {1, 2, 1, 1}), distance(here, {2, 1, 1, 1}));
}

TEST(mapping, traffic_counts_parallel_edges_and_both_directions_and_no_self_edges) {
  const std::vector<std::vector<edge>> edges{
      {{rank_id{1}, 0, 3}, {rank_id{1}, 1, 4}, {rank_id{0}, 0, 9}, {no_rank, 0, 1}}, {{rank_id{0}, 0, 5}}};
  const rank_traffic traffic = traffic_of(edges);
  ASSERT_EQ(traffic.of[0].size(), 1u);
  ASSERT_EQ(traffic.of[1].size(), 1u);
  EXPECT_EQ(traffic.of[0][0].weight, 12u);
  EXPECT_EQ(traffic.of[1][0].weight, 12u);
}

TEST(mapping, blocks_of_a_grid_go_to_one_node) {
  const rank_traffic traffic = traffic_on({{4, 4}, {false, false}});
  const auto places = dealt_out(16, 4);
  const ranks holder = map_ranks(traffic, places);
  ASSERT_TRUE(is_permutation_of_all(holder));
  // Four blocks of 2 x 2 cut 8 of the 24 edges, each of weight 2; the others stay within a node.
  EXPECT_EQ(mapping_cost(traffic, places, holder),
            2 * (8 * distance(places[0], places[1]) + 16 * distance(places[0], places[4])));
}

TEST(mapping, nothing_changes_where_nothing_is_gained) {
  const rank_traffic traffic = traffic_on({{8}, {true}});
  std::vector<hardware_place> same(8, hardware_place{1, 0, 0, 0});
  EXPECT_EQ(map_ranks(traffic, same), in_order(8));
  std::vector<hardware_place> blocks;
  for (std::uint64_t p = 0; p < 8; ++p)
    blocks.push_back({1 + p / 4, 0, 0, 0});
  EXPECT_EQ(map_ranks(traffic, blocks), in_order(8));
}

TEST(mapping, random_graphs_against_all_permutations) {
  std::uint64_t as_it_is = 0, found = 0, least = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::size_t n = 1 + random() % 7;
    std::vector<std::vector<edge>> edges(n);
    for (std::size_t e = random() % (3 * n); e > 0; --e)
      edges[random() % n].push_back(
          {rank_id{static_cast<std::uint32_t>(random() % n)}, 0, static_cast<int>(random() % 10)});
    std::vector<hardware_place> places;
    for (std::size_t p = 0; p < n; ++p)
      places.push_back({random() % 3, random() % 2, random() % 2, random() % 2});
    const rank_traffic traffic = traffic_of(edges);
    const ranks holder = map_ranks(traffic, places);
    ASSERT_TRUE(is_permutation_of_all(holder));
    const std::uint64_t before = mapping_cost(traffic, places, in_order(n));
    const std::uint64_t after = mapping_cost(traffic, places, holder);
    const std::uint64_t optimum = least_cost(traffic, places);
    ASSERT_LE(after, before);
    ASSERT_GE(after, optimum);
    as_it_is += before;
    found += after;
    least += optimum;
  }
  // What a heuristic may lose, over all cases; the order as it is costs far more.
  EXPECT_LE(found, least + least / 20)
      << "optimum " << least << ", found " << found << ", as it is " << as_it_is;
  EXPECT_GT(as_it_is, least + least / 4);
}

TEST(mapping, larger_graphs_never_become_worse_and_work_is_limited) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::size_t n = 20 + random() % 100;
    std::vector<std::vector<edge>> edges(n);
    for (std::size_t e = 4 * n; e > 0; --e)
      edges[random() % n].push_back({rank_id{static_cast<std::uint32_t>(random() % n)}, 0, 1});
    const auto places = dealt_out(n, 1 + random() % 10);
    const rank_traffic traffic = traffic_of(edges);
    for (const std::uint64_t work : {std::uint64_t{0}, std::uint64_t{1000}, mapping_work_limit}) {
      const ranks holder = map_ranks(traffic, places, work);
      ASSERT_TRUE(is_permutation_of_all(holder));
      ASSERT_LE(mapping_cost(traffic, places, holder), mapping_cost(traffic, places, in_order(n)));
    }
  }
}

} // namespace
} // namespace tacit::neighbors
