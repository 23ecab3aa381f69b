// Neighborhoods against what the standard says: where the block of each slot must arrive, and that the two
// sides of every pair agree, for all small grids and for random graphs.
#include "neighbors/topology/topology.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace tacit::neighbors {
namespace {

rank_id r(std::uint32_t n) {
  return rank_id{n};
}

std::vector<neighborhood> of_all_ranks(const topology& t, std::uint32_t size) {
  std::vector<neighborhood> all;
  for (std::uint32_t rank = 0; rank < size; ++rank)
    all.push_back(t.of(r(rank)));
  return all;
}

/// Source slot in which the block of (rank, destination slot) arrives.
std::size_t arrival(const std::vector<neighborhood>& all, std::uint32_t rank, std::size_t slot) {
  const edge& out = all[rank].destinations[slot];
  const auto& in = all[index(out.peer)].sources;
  for (std::size_t t = 0; t < in.size(); ++t)
    if (in[t].peer == r(rank) && in[t].channel == out.channel)
      return t;
  return in.size();
}

/// Every (source, destination, channel) is listed exactly once by each side.
void expect_matched(const std::vector<neighborhood>& all, const std::string& what) {
  std::set<std::array<std::uint64_t, 3>> sent, received;
  std::size_t out = 0, in = 0;
  std::uint64_t balance = 0;
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    for (const edge& e : all[rank].destinations)
      if (e.peer != no_rank)
        ++out, sent.insert({rank, index(e.peer), e.channel});
    for (const edge& e : all[rank].sources)
      if (e.peer != no_rank)
        ++in, received.insert({index(e.peer), rank, e.channel});
    balance += edge_balance(all[rank], r(rank));
  }
  EXPECT_EQ(sent.size(), out) << what << ": a channel is used twice";
  EXPECT_EQ(received.size(), in) << what << ": a channel is used twice";
  EXPECT_EQ(sent, received) << what;
  EXPECT_EQ(balance, 0u) << what;
}

void each_shape(int product_limit, std::vector<int>& dims,
                const std::function<void(const grid_shape&)>& visit, int product = 1) {
  for (std::uint32_t bits = 0; bits < (1u << dims.size()); ++bits) {
    grid_shape shape{dims, {}};
    for (std::size_t d = 0; d < dims.size(); ++d)
      shape.periodic.push_back((bits >> d) & 1);
    visit(shape);
  }
  if (dims.size() == 6) // 2^6 = 64; more dimensions only add ones
    return;
  const bool enough_ones = std::count(dims.begin(), dims.end(), 1) == 2; // more of them add nothing new
  for (int d = enough_ones ? 2 : 1; product * d <= product_limit; ++d) {
    dims.push_back(d);
    each_shape(product_limit, dims, visit, product * d);
    dims.pop_back();
  }
}

TEST(topology, row_major_ranks) {
  const grid_shape shape{{2, 3, 4}, {false, false, true}};
  EXPECT_EQ(ranks_of(shape), 24u);
  EXPECT_EQ(coordinates_of(shape, r(23)), (std::vector<int>{1, 2, 3}));
  const std::vector<int> at{1, 2, 3}, wraps{0, 0, 1}, leaves{1, 0, 0}, back{-1, -2, -7};
  EXPECT_EQ(rank_at(shape, at, wraps), r(20));
  EXPECT_EQ(rank_at(shape, at, leaves), no_rank);
  EXPECT_EQ(rank_at(shape, at, back), r(0)) << "3 - 7 wraps to 0";
  EXPECT_EQ(ranks_of({{3, 0}, {false, false}}), 0u);
  EXPECT_EQ(ranks_of({{1 << 30, 1 << 30, 1 << 30}, {false, false, false}}), 0u) << "does not fit";
  EXPECT_EQ(ranks_of({}), 1u) << "a grid without dimensions is one rank";
}

// MPI-4.1 Example 8.10: a periodic dimension of size 1 or 2 has both neighbors equal; what is sent to the
// left arrives from the right.
TEST(topology, example_8_10) {
  for (const int size : {1, 2, 3}) {
    const topology t{topology::kind::grid, {{size}, {true}}, {}, {}};
    const auto all = of_all_ranks(t, static_cast<std::uint32_t>(size));
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      EXPECT_EQ(arrival(all, rank, 0), 1u) << "size " << size;
      EXPECT_EQ(arrival(all, rank, 1), 0u) << "size " << size;
    }
  }
  const auto two = cartesian_neighborhood({{2}, {true}}, r(0));
  EXPECT_EQ(two.destinations, (std::vector<edge>{{r(1), 0}, {r(1), 1}}));
  EXPECT_EQ(two.sources, (std::vector<edge>{{r(1), 1}, {r(1), 0}})) << "channels are crossed";
}

TEST(topology, open_boundaries_have_no_peer) {
  const auto corner = cartesian_neighborhood({{2, 2}, {false, false}}, r(0));
  EXPECT_EQ(corner.destinations, (std::vector<edge>{{no_rank}, {r(2)}, {no_rank}, {r(1)}}));
  EXPECT_EQ(corner.sources, corner.destinations);
  const auto alone = cartesian_neighborhood({{1}, {false}}, r(0));
  EXPECT_EQ(alone.sources, (std::vector<edge>{{no_rank}, {no_rank}}));
  EXPECT_TRUE(cartesian_neighborhood({}, r(0)).sources.empty());
}

TEST(topology, every_small_grid_joins_slot_s_to_slot_s_xor_1) {
  std::size_t shapes = 0;
  const auto check = [&](const grid_shape& shape) {
    ++shapes;
    const auto size = static_cast<std::uint32_t>(ranks_of(shape));
    const auto all = of_all_ranks({topology::kind::grid, shape, {}, {}}, size);
    for (std::uint32_t rank = 0; rank < size; ++rank)
      for (std::size_t s = 0; s < 2 * shape.dims.size(); ++s)
        if (all[rank].destinations[s].peer != no_rank && arrival(all, rank, s) != (s ^ 1))
          FAIL() << "rank " << rank << " slot " << s;
    if (shapes % 50 == 0) // the sets are slow
      expect_matched(all, "grid");
  };
  std::vector<int> dims;
  each_shape(32, dims, check);
  EXPECT_GT(shapes, 30000u);
  dims.assign(6, 2);
  each_shape(64, dims, check); // six dimensions, each with a neighbor
}

TEST(topology, stencils_join_slot_i_to_slot_i) {
  std::vector<std::vector<int>> moore;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        moore.push_back({x, y, z});
  std::vector<int> dims;
  for (const std::vector<int>& size : {std::vector<int>{1, 1, 1}, {2, 1, 2}, {2, 2, 2}, {3, 2, 1}, {3, 3, 3}})
    for (std::uint32_t bits = 0; bits < 8; ++bits) {
      const grid_shape shape{size, {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}};
      const auto ranks = static_cast<std::uint32_t>(ranks_of(shape));
      const auto all = of_all_ranks({topology::kind::stencil, shape, moore, {}}, ranks);
      expect_matched(all, "stencil");
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        for (std::size_t i = 0; i < moore.size(); ++i)
          if (all[rank].destinations[i].peer != no_rank && arrival(all, rank, i) != i)
            FAIL() << "rank " << rank << " slot " << i;
    }
}

TEST(topology, parallel_and_self_edges_match_kth_to_kth) {
  const std::vector<rank_id> sources{r(1), r(0), r(1), r(0), r(2)}, destinations{r(0), r(2), r(0)};
  const auto n = graph_neighborhood(sources, {}, destinations, {});
  EXPECT_EQ(n.sources, (std::vector<edge>{{r(1), 0}, {r(0), 0}, {r(1), 1}, {r(0), 1}, {r(2), 0}}));
  EXPECT_EQ(n.destinations, (std::vector<edge>{{r(0), 0}, {r(2), 0}, {r(0), 1}}));
  EXPECT_FALSE(n.weighted);
  const std::vector<int> weights{5, 6, 7};
  const auto weighted = graph_neighborhood({}, {}, destinations, weights);
  EXPECT_TRUE(weighted.weighted);
  EXPECT_EQ(weighted.destinations[2], (edge{r(0), 1, 7}));
}

TEST(topology, random_graphs_match_and_a_missing_edge_is_noticed) {
  const std::uint64_t seed = 20261121;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const auto size = static_cast<std::uint32_t>(1 + random() % 9);
    std::vector<std::vector<rank_id>> in(size), out(size);
    for (std::uint64_t e = random() % 40; e > 0; --e) {
      const auto a = static_cast<std::uint32_t>(random() % size),
                 b = static_cast<std::uint32_t>(random() % size);
      out[a].push_back(r(b));
      in[b].push_back(r(a));
    }
    for (auto& list : in)
      std::shuffle(list.begin(), list.end(), random);
    std::vector<neighborhood> all;
    for (std::uint32_t rank = 0; rank < size; ++rank)
      all.push_back(graph_neighborhood(in[rank], {}, out[rank], {}));
    expect_matched(all, "seed " + std::to_string(seed) + " round " + std::to_string(round));

    // One edge less on one side.
    const auto victim = static_cast<std::uint32_t>(random() % size);
    if (in[victim].empty())
      continue;
    const rank_id lost = in[victim].back();
    in[victim].pop_back();
    all[victim] = graph_neighborhood(in[victim], {}, out[victim], {});
    std::uint64_t balance = 0;
    for (std::uint32_t rank = 0; rank < size; ++rank)
      balance += edge_balance(all[rank], r(rank));
    EXPECT_NE(balance, 0u);
    int complaining = 0;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      std::vector<int> sent_here, received_from_here;
      for (std::uint32_t other = 0; other < size; ++other) {
        sent_here.push_back(edge_counts(all[other].destinations, size)[rank]);
        received_from_here.push_back(edge_counts(all[other].sources, size)[rank]);
      }
      const std::string fault = first_imbalance(all[rank], r(rank), sent_here, received_from_here);
      EXPECT_EQ(!fault.empty(), rank == victim || r(rank) == lost) << fault;
      complaining += fault.empty() ? 0 : 1;
    }
    EXPECT_EQ(complaining, r(victim) == lost ? 1 : 2);
  }
}

TEST(topology, says_what_does_not_fit) {
  const topology grid{topology::kind::grid, {{2, 3}, {true, true}}, {}, {}};
  EXPECT_EQ(misfit(grid, 6), "");
  EXPECT_NE(misfit(grid, 7).find("the grid 2x3 has 6 ranks, but the communicator has 7"), std::string::npos);
  const std::vector<rank_id> peers{r(3)};
  const topology graph{topology::kind::graph, {}, {}, graph_neighborhood(peers, {}, {}, {})};
  EXPECT_EQ(misfit(graph, 4), "");
  EXPECT_NE(misfit(graph, 3).find("names rank 3, but the communicator has ranks 0 to 2"), std::string::npos);
}

} // namespace
} // namespace tacit::neighbors
