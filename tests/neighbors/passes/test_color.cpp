// Colorings against their definition, against the largest degree, and against trying all colorings.
#include "neighbor_machine.h"
#include "neighbors/passes/color.h"
#include "random_case.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace tacit::test {

using namespace neighbors;
namespace {

/// By definition: pairs of arcs that meet in one rank, on the same side.
bool is_valid(const std::vector<arc>& arcs, const std::vector<std::uint32_t>& color) {
  for (std::size_t i = 0; i < arcs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (color[i] == color[j] && (arcs[i].from == arcs[j].from || arcs[i].to == arcs[j].to))
        return false;
  return true;
}

std::uint32_t largest_degree(const std::vector<arc>& arcs, std::uint32_t ranks) {
  std::uint32_t most = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    most = std::max(most, static_cast<std::uint32_t>(std::count_if(
                              arcs.begin(), arcs.end(), [&](const arc& a) { return index(a.from) == r; })));
    most = std::max(most, static_cast<std::uint32_t>(std::count_if(
                              arcs.begin(), arcs.end(), [&](const arc& a) { return index(a.to) == r; })));
  }
  return most;
}

/// The least number of colors, by trying.
bool colorable(const std::vector<arc>& arcs, std::vector<std::uint32_t>& color, std::uint32_t colors) {
  if (color.size() == arcs.size())
    return true;
  for (std::uint32_t c = 0; c < colors; ++c) {
    color.push_back(c);
    const std::vector<arc> so_far(arcs.begin(), arcs.begin() + static_cast<std::ptrdiff_t>(color.size()));
    if (is_valid(so_far, color) && colorable(arcs, color, colors))
      return true;
    color.pop_back();
  }
  return false;
}

std::uint32_t least_colors(const std::vector<arc>& arcs) {
  for (std::uint32_t colors = 0;; ++colors)
    if (std::vector<std::uint32_t> color; colorable(arcs, color, colors))
      return colors;
}

std::vector<arc> random_arcs(std::mt19937_64& random, std::uint32_t ranks, std::size_t wanted) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t k = 0; k < wanted; ++k) {
    const auto from = static_cast<std::uint32_t>(random() % ranks);
    const auto to = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random() % ranks); // rank 0 is hot
    pairs.emplace(from, to);
  }
  std::vector<arc> arcs;
  for (const auto& [from, to] : pairs)
    arcs.push_back({rank_id{from}, rank_id{to}});
  std::shuffle(arcs.begin(), arcs.end(), random);
  return arcs;
}

TEST(color, small_graphs_need_as_many_colors_as_trying_all_finds) {
  std::mt19937_64 random(1916);
  for (int k = 0; k < 2000; ++k) {
    const auto ranks = static_cast<std::uint32_t>(1 + random() % 5);
    const auto arcs = random_arcs(random, ranks, random() % 9);
    const arc_coloring c = color_arcs(arcs, ranks);
    ASSERT_TRUE(is_valid(arcs, c.color)) << "graph " << k << " of seed 1916";
    ASSERT_EQ(c.colors, least_colors(arcs)) << "graph " << k << " of seed 1916";
  }
}

TEST(color, large_graphs_need_as_many_colors_as_the_largest_degree) {
  std::mt19937_64 random(2012);
  for (int k = 0; k < 3000; ++k) {
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 30);
    const auto arcs = random_arcs(random, ranks, random() % (6 * ranks));
    const arc_coloring c = color_arcs(arcs, ranks);
    ASSERT_TRUE(is_valid(arcs, c.color)) << "graph " << k << " of seed 2012";
    ASSERT_EQ(c.colors, largest_degree(arcs, ranks)) << "graph " << k << " of seed 2012";
  }
}

TEST(color, the_check_notices_a_color_that_is_wrong) {
  std::mt19937_64 random(7);
  int noticed = 0;
  for (int k = 0; k < 100; ++k) {
    const auto arcs = random_arcs(random, 6, 20);
    arc_coloring c = color_arcs(arcs, 6);
    const std::size_t one = random() % arcs.size();
    for (std::size_t other = 0; other < arcs.size(); ++other)
      if (other != one && arcs[other].from == arcs[one].from) {
        c.color[one] = c.color[other];
        noticed += is_valid(arcs, c.color) ? 0 : 1;
        break;
      }
  }
  EXPECT_GT(noticed, 50);
}

std::vector<arc> arcs_of(const random_case& c) {
  std::vector<arc> arcs;
  for (std::uint32_t r = 0; r < c.size; ++r)
    for (const std::uint32_t to : ranks_sent_to(c.all[r], rank_id{r}))
      arcs.push_back({rank_id{r}, rank_id{to}});
  return arcs;
}

/// In every round a rank has one partner to send to and one to receive from, both ends of a pair name the
/// same round, and the plans posted in these rounds mean the collective.
TEST(color, plans_in_colored_rounds_mean_the_collective) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    random_case c(seed);
    c.make_blocks(seed % 3 == 0);
    const std::vector<arc> arcs = arcs_of(c);
    const arc_coloring coloring = color_arcs(arcs, c.size);
    neighbor_passes passes = c.some_passes();
    passes.order = true;
    passes.coalesce = c.below(3) != 0;
    const bool known = c.below(2) == 0;
    std::vector<graphs::rank_plan> plans;
    std::vector<std::map<std::uint32_t, rank_id>> to(c.size), from(c.size); // by round
    for (std::uint32_t r = 0; r < c.size; ++r) {
      const edge_rounds rounds = colored_rounds(c.all[r], rank_id{r}, arcs, coloring);
      const auto one_per_round = [&](const std::vector<edge>& edges, const std::vector<std::uint32_t>& round,
                                     std::map<std::uint32_t, rank_id>& partner) {
        for (std::size_t i = 0; i < edges.size(); ++i) {
          const rank_id peer = edges[i].peer;
          const bool counts = peer != no_rank && peer != rank_id{r};
          EXPECT_TRUE(!counts || partner.try_emplace(round[i], peer).first->second == peer)
              << "seed " << seed;
        }
      };
      one_per_round(c.all[r].destinations, rounds.out, to[r]);
      one_per_round(c.all[r].sources, rounds.in, from[r]);
      plans.push_back(plan_neighbor(c.all[r], rank_id{r}, c.blocks[r], rounds, passes, known));
    }
    for (std::uint32_t r = 0; r < c.size; ++r)
      for (const auto& [round, peer] : to[r])
        ASSERT_EQ(from[index(peer)].at(round), rank_id{r}) << "seed " << seed;
    ASSERT_EQ(coloring.colors, largest_degree(arcs, c.size)) << "seed " << seed;
    ASSERT_EQ(first_wrong_byte(c.all, c.blocks, plans, seed), "") << "seed " << seed;
  }
}

/// The same number, found by stepping through time.
std::uint64_t stepped(const std::vector<arc>& arcs, const std::vector<std::uint32_t>& key,
                      std::uint32_t ranks) {
  std::vector<std::size_t> order(arcs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  std::vector<std::size_t> waiting(ranks, 0);
  std::vector<std::uint64_t> last(ranks, 0);
  for (std::size_t time = 0; time <= 2 * arcs.size(); ++time) {
    std::vector<std::size_t> seen(ranks, 0);
    for (const std::size_t i : order)
      if (seen[index(arcs[i].from)]++ == time)
        ++waiting[index(arcs[i].to)];
    for (std::size_t r = 0; r < ranks; ++r)
      if (waiting[r] > 0) {
        --waiting[r];
        last[r] = time + 1;
      }
  }
  return std::accumulate(last.begin(), last.end(), std::uint64_t{0});
}

TEST(color, the_model_of_queues_is_what_stepping_through_time_gives) {
  std::mt19937_64 random(4);
  for (int k = 0; k < 300; ++k) {
    const auto ranks = static_cast<std::uint32_t>(2 + random() % 12);
    const auto arcs = random_arcs(random, ranks, random() % (4 * ranks));
    std::vector<std::uint32_t> key(arcs.size());
    for (std::uint32_t& x : key)
      x = static_cast<std::uint32_t>(random() % 5);
    ASSERT_EQ(time_to_take(arcs, key, ranks), stepped(arcs, key, ranks)) << "graph " << k << " of seed 4";
  }
}

/// Slot by slot a torus has no queues; ranks that all begin with rank 0 have.
TEST(color, an_order_without_queues_stays) {
  std::vector<arc> torus, ascending;
  for (std::uint32_t r = 0; r < 12; ++r) {
    for (const std::uint32_t to :
         ranks_sent_to(cartesian_neighborhood({{4, 3}, {true, true}}, rank_id{r}), rank_id{r}))
      torus.push_back({rank_id{r}, rank_id{to}});
    for (std::uint32_t to = 0; to < 12; ++to)
      if (to != r)
        ascending.push_back({rank_id{r}, rank_id{to}});
  }
  EXPECT_FALSE(coloring_pays(torus, color_arcs(torus, 12), 12));
  EXPECT_TRUE(coloring_pays(ascending, color_arcs(ascending, 12), 12));
  const edge_rounds own =
      listed_rounds(graph_neighborhood(std::vector<rank_id>(2), {}, std::vector<rank_id>(3), {}));
  EXPECT_EQ(own.in, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(own.out, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(color, sends_are_posted_by_color) {
  // 0 and 1 both begin their lists with 2, then 3.
  const std::vector<rank_id> two{rank_id{2}, rank_id{3}};
  const neighborhood n = graph_neighborhood({}, {}, two, {});
  const std::vector<arc> arcs{
      {rank_id{0}, rank_id{2}}, {rank_id{0}, rank_id{3}}, {rank_id{1}, rank_id{2}}, {rank_id{1}, rank_id{3}}};
  const arc_coloring coloring = color_arcs(arcs, 4);
  const neighbor_blocks b{{{{100, 8}}, {{108, 8}}}, {}};
  std::vector<rank_id> first;
  for (const std::uint32_t r : {0u, 1u})
    first.push_back(plan_neighbor(n, rank_id{r}, b, colored_rounds(n, rank_id{r}, arcs, coloring), {}, true)
                        .steps.front()
                        .peer);
  EXPECT_NE(first[0], first[1]) << "not both to one rank at first";
}

} // namespace
} // namespace tacit::test
