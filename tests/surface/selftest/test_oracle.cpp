// The oracle of the conformance suite against what the standard says in examples.
#include "surface/selftest/names.h"
#include "surface/selftest/topology.h"

#include <gtest/gtest.h>
#include <set>

using namespace tacit::surface;

namespace {

void expect(const topology& where, int rank, int slot, int sender, int sender_slot) {
  const origin found = expected_origin(where, rank, slot);
  EXPECT_EQ(found.sender, sender) << where.words << " rank " << rank << " slot " << slot;
  if (sender != nobody) {
    EXPECT_EQ(found.slot, sender_slot) << where.words << " rank " << rank << " slot " << slot;
  }
}

} // namespace

TEST(selftest_oracle, open_boundaries_get_nothing_and_inner_slots_the_opposite_block) {
  const topology line = make_cart({3}, {0});
  expect(line, 0, 0, nobody, 0);
  expect(line, 0, 1, 1, 0);
  expect(line, 1, 0, 0, 1);
  expect(line, 1, 1, 2, 0);
  expect(line, 2, 1, nobody, 0);
}

TEST(selftest_oracle, a_periodic_dimension_of_size_two_crosses_its_blocks) { // Example 8.10
  const topology two = make_cart({2}, {1});
  expect(two, 0, 0, 1, 1);
  expect(two, 0, 1, 1, 0);
}

TEST(selftest_oracle, a_periodic_dimension_of_size_one_crosses_its_blocks) {
  const topology one = make_cart({1, 2}, {1, 0});
  expect(one, 0, 0, 0, 1);
  expect(one, 0, 1, 0, 0);
  expect(one, 0, 3, 1, 2);
}

TEST(selftest_oracle, the_last_dimension_is_the_fastest) {
  const topology grid = make_cart({2, 3}, {0, 1});
  expect(grid, 4, 0, 1, 1);      // one up
  expect(grid, 4, 1, nobody, 0); // below the last row
  expect(grid, 4, 2, 3, 3);
  expect(grid, 3, 2, 5, 3); // around
}

TEST(selftest_oracle, parallel_edges_match_in_order) {
  topology graph;
  graph.made_by = maker::dist_adjacent;
  graph.destinations = {{1, 0, 1, 1}, {}};
  graph.sources = {{0}, {0, 0, 0}};
  expect(graph, 0, 0, 0, 1);
  expect(graph, 1, 0, 0, 0);
  expect(graph, 1, 1, 0, 2);
  expect(graph, 1, 2, 0, 3);
}

TEST(selftest_oracle, every_block_that_is_sent_arrives_exactly_once) {
  for (int ranks : {1, 2, 3, 4, 6, 8, 12, 16})
    for (const topology& where : make_topologies(ranks, {})) {
      std::set<std::pair<int, int>> arrived;
      std::size_t sent = 0;
      for (int r = 0; r < ranks; ++r) {
        for (const int to : where.destinations[static_cast<std::size_t>(r)])
          sent += to != nobody ? 1 : 0;
        for (std::size_t s = 0; s < where.sources[static_cast<std::size_t>(r)].size(); ++s) {
          const origin from = expected_origin(where, r, static_cast<int>(s));
          if (from.sender == nobody)
            continue;
          EXPECT_EQ(
              where.destinations[static_cast<std::size_t>(from.sender)][static_cast<std::size_t>(from.slot)],
              r)
              << where.words;
          EXPECT_TRUE(arrived.insert({from.sender, from.slot}).second) << where.words;
        }
      }
      EXPECT_EQ(arrived.size(), sent) << where.words;
    }
}

TEST(selftest_oracle, every_shape_and_every_class_is_tried) {
  std::set<topology_class> seen;
  int grids = 0;
  for (const topology& where : make_topologies(4, {})) {
    seen.insert(where.kind());
    grids += where.made_by == maker::cart ? 1 : 0;
  }
  EXPECT_EQ(seen.size(), class_names.size());
  // 4 as a product of 1, 2, 3, 4 ordered factors: 1, 3, 6, 10 ways; each dimension periodic or not.
  EXPECT_EQ(grids, 1 * 2 + 3 * 4 + 6 * 8 + 10 * 16);
}
