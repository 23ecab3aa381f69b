// The check of the plans of all ranks: it accepts every plan that the passes make, and finds planted
// mistakes, naming rank and edge.
#include "neighbors/check/check.h"
#include "neighbors/passes/combine.h"
#include "random_case.h"
#include "spread_plans.h"

#include <gtest/gtest.h>
#include <random>

namespace tacit::test {
namespace {

std::vector<rank_piece> pieces_of(const random_case& c, std::vector<graphs::rank_plan> plans) {
  std::vector<rank_piece> out;
  for (std::uint32_t r = 0; r < c.size; ++r)
    out.push_back({c.all[r], c.blocks[r], std::move(plans[r])});
  return out;
}

void expect_right(const std::vector<rank_piece>& ranks, const char* what) {
  const check_result found = check_plans(ranks);
  EXPECT_EQ(found.plan_fault, "") << what;
  EXPECT_EQ(found.call_fault, "") << what;
}

TEST(neighbor_check, accepts_what_the_passes_make) {
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed < first + 150; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_case c(seed);
    c.make_blocks(c.below(2) == 0);
    neighbor_passes passes = c.some_passes();
    passes.coalesce = c.below(3) != 0;
    expect_right(pieces_of(c, direct_plans(c, passes)), "any passes");
    const std::vector<graphs::rank_plan> coalesced = direct_plans(c);
    expect_right(pieces_of(c, plant(coalesced, eager()).plans), "trees");
    std::vector<std::uint64_t> nodes;
    for (std::uint32_t r = 0; r < c.size; ++r)
      nodes.push_back(r % 3);
    expect_right(pieces_of(c, through_nodes(coalesced, map_of_nodes(nodes), 1000)), "aggregation");
    if (HasFailure())
      return;
  }
}

/// The cells around a cell on a torus of 2 x 3, blocks of 8 B.
std::vector<rank_piece> combined_on_a_torus() {
  topology t;
  t.what = topology::kind::stencil;
  t.shape = {{2, 3}, {true, true}};
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      t.offsets.push_back({x, y});
  std::vector<rank_piece> ranks;
  for (std::uint32_t r = 0; r < 6; ++r) {
    neighbor_blocks blocks;
    for (std::size_t i = 0; i < t.offsets.size(); ++i) {
      blocks.out.push_back({{1000 + 8 * i, 8}});
      blocks.in.push_back({{5000 + 8 * i, 8}});
    }
    ranks.push_back({t.of(rank_id{r}), blocks, combined(t, rank_id{r}, blocks, false)});
  }
  return ranks;
}

TEST(neighbor_check, accepts_combining_and_finds_a_topology_that_is_not_meant) {
  std::vector<rank_piece> ranks = combined_on_a_torus();
  expect_right(ranks, "combined");
  std::swap(ranks[2].edges.sources[1], ranks[2].edges.sources[5]);
  const check_result found = check_plans(ranks);
  EXPECT_NE(found.plan_fault + found.call_fault, "");
}

TEST(neighbor_check, words_say_the_whole_piece) {
  for (const rank_piece& piece : combined_on_a_torus()) {
    const rank_piece read = piece_of(words_of(piece));
    EXPECT_EQ(words_of(read), words_of(piece));
    EXPECT_EQ(read.blocks.in, piece.blocks.in);
    EXPECT_EQ(read.edges.sources, piece.edges.sources);
    EXPECT_EQ(read.plan.scratch_bytes, piece.plan.scratch_bytes);
    ASSERT_EQ(read.plan.steps.size(), piece.plan.steps.size());
    for (std::size_t i = 0; i < read.plan.steps.size(); ++i) {
      EXPECT_EQ(read.plan.steps[i].kind, piece.plan.steps[i].kind);
      EXPECT_EQ(read.plan.steps[i].peer, piece.plan.steps[i].peer);
      EXPECT_EQ(read.plan.steps[i].tag, piece.plan.steps[i].tag);
      EXPECT_EQ(read.plan.steps[i].after, piece.plan.steps[i].after);
      EXPECT_EQ(read.plan.steps[i].reads, piece.plan.steps[i].reads);
    }
  }
}

/// Three ranks in a ring, 8 B to the left and 8 B to the right. Steps of each rank: two receives, two sends.
class ring_of_three : public testing::Test {
protected:
  void SetUp() override {
    for (std::uint32_t r = 0; r < 3; ++r) {
      const std::vector<rank_id> around{rank_id{(r + 2) % 3}, rank_id{(r + 1) % 3}};
      rank_piece piece;
      piece.edges = graph_neighborhood(around, {}, around, {});
      piece.blocks = {{{{100, 8}}, {{108, 8}}}, {{{500, 8}}, {{508, 8}}}};
      piece.plan = posted(piece.edges, piece.blocks);
      ranks.push_back(piece);
    }
  }
  graphs::step& step(std::size_t rank, std::size_t i) { return ranks[rank].plan.steps[i]; }
  /// Of the plan; the call itself must be right.
  std::string fault() {
    const check_result found = check_plans(ranks);
    EXPECT_EQ(found.call_fault, "");
    return found.plan_fault;
  }
  static bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

  std::vector<rank_piece> ranks;
};

TEST_F(ring_of_three, is_right) {
  EXPECT_EQ(fault(), "");
}

TEST_F(ring_of_three, swapped_blocks_are_found) {
  std::swap(step(1, 0).writes, step(1, 1).writes);
  EXPECT_TRUE(begins(fault(), "rank 1, incoming edge 0 from rank 0: the plan moves ")) << fault();
}

TEST_F(ring_of_three, wrong_bytes_are_found_where_they_arrive) {
  step(2, 2).reads[0].address = 108; // to rank 1, the block that is meant for rank 0
  EXPECT_TRUE(begins(fault(), "rank 1, incoming edge 1 from rank 2: ")) << fault();
}

TEST_F(ring_of_three, lost_messages_are_found) {
  ranks[0].plan.steps.pop_back();
  EXPECT_TRUE(begins(fault(), "rank ")) << fault();
}

TEST_F(ring_of_three, short_messages_are_found) {
  step(0, 3).reads[0].length = 7;
  EXPECT_TRUE(begins(fault(), "rank 1, incoming edge 0 from rank 0: ")) << fault();
}

TEST_F(ring_of_three, bytes_that_the_call_leaves_alone_are_found) {
  step(2, 1).writes[0].address = 600;
  EXPECT_TRUE(begins(fault(), "rank 2: ")) << fault();
}

TEST_F(ring_of_three, steps_that_wait_for_each_other_are_found) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t send : {2u, 3u})
      step(r, send).after = {0, 1};
  EXPECT_NE(fault(), "");
}

TEST_F(ring_of_three, a_call_that_contradicts_itself_is_no_fault_of_the_plan) {
  ranks[1].blocks.in[0][0].length = 4;
  const check_result sizes = check_plans(ranks);
  EXPECT_EQ(sizes.plan_fault, "");
  EXPECT_EQ(sizes.call_fault, "rank 1, incoming edge 0 from rank 0: 4 B expected, 8 B sent");
  ranks[1].blocks.in[0][0].length = 8;
  ranks[1].blocks.in[1][0].address = 504; // two receive blocks with common bytes
  const check_result race = check_plans(ranks);
  EXPECT_EQ(race.plan_fault, "");
  EXPECT_NE(race.call_fault, "");
}

} // namespace
} // namespace tacit::test
