// A list of blocks against the blocks that were put into it, one by one.
#include "graphs/plan/block_list.h"

#include "graphs/plan/listed_blocks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace tacit::test {
namespace {

using namespace graphs;

std::vector<listed_block> random_blocks(std::mt19937& random) {
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<listed_block> list;
  std::uint64_t address = 64;
  std::uint32_t peer = pick(3);
  for (std::uint32_t left = pick(12); left > 0; --left) {
    listed_block b{rank_id{peer}, {{address, 8}}};
    if (pick(5) == 0)
      b.bytes = segment_list(std::vector<segment>{{address, 4}, {address + 16, 4}});
    else if (pick(8) == 0)
      b.bytes.clear();
    else if (pick(6) == 0)
      b.bytes.front().length = 16;
    list.push_back(std::move(b));
    peer += pick(6) == 0 ? 2 : 1;
    address += pick(6) == 0 ? 24 : 8;
  }
  if (pick(3) == 0)
    std::shuffle(list.begin(), list.end(), random);
  if (pick(20) == 0)
    list = {{no_rank, {{64, 8}}}};
  return list;
}

TEST(block_list, gives_back_what_was_put_into_it) {
  const auto seed = static_cast<std::uint32_t>(std::random_device()());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  bool any_run = false;
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<listed_block> wanted = random_blocks(random);
    block_list list;
    for (const listed_block& b : wanted) {
      if (b.bytes.size() == 1 && random() % 2 == 0)
        list.push_back(b.peer, b.bytes.front());
      else
        list.push_back(b.peer, b.bytes);
    }
    ASSERT_EQ(list.size(), wanted.size());
    any_run |= list.runs().size() < wanted.size();
    EXPECT_EQ(list.are_in_order(),
              std::is_sorted(wanted.begin(), wanted.end(),
                             [](const auto& a, const auto& b) { return a.peer < b.peer; }));
    std::size_t i = 0;
    std::uint64_t length = 0, in_runs = 0;
    for (const block b : list) {
      ASSERT_EQ(b.peer, wanted[i].peer);
      ASSERT_TRUE(std::ranges::equal(b.bytes, wanted[i].bytes));
      const auto found = list.find(b.peer, random() % 3 == 0 ? i : random() % 14);
      ASSERT_TRUE(found && *found == b);
      for (const segment& s : b.bytes)
        length += s.length;
      ++i;
    }
    for (const block_run& run : list.runs())
      for (const segment& s : run.all_bytes())
        in_runs += s.length;
    EXPECT_EQ(length, in_runs);
    for (std::uint32_t r = 0; r < 30; ++r) {
      const bool there =
          std::ranges::any_of(wanted, [&](const listed_block& b) { return b.peer == rank_id{r}; });
      ASSERT_EQ(list.find(rank_id{r}, random() % 14).has_value(), there);
    }
  }
  EXPECT_TRUE(any_run);
}

TEST(block_list, those_that_wrap_around_or_go_to_everybody_are_no_row) {
  block_list list;
  list.push_back(no_rank, segment{64, 8});
  list.push_back(no_rank, segment{72, 8});
  EXPECT_EQ(list.runs().size(), 2u);
  block_list last;
  last.push_back(rank_id{0xfffffffe}, segment{64, 8});
  last.push_back(no_rank, segment{72, 8});
  EXPECT_EQ(last.runs().size(), 2u);
  EXPECT_TRUE(last.find(no_rank, 0));
  EXPECT_FALSE(list.find(rank_id{0}, 0));
}

} // namespace
} // namespace tacit::test
