// Lists that keep their only segment in place do what vectors do.
#include "graphs/graph/segments.h"

#include <gtest/gtest.h>
#include <random>
#include <type_traits>
#include <utility>

using namespace tacit;
using namespace tacit::graphs;

namespace {

std::vector<segment> as_vector(const segment_list& list) {
  return {list.begin(), list.end()};
}

segment_list list_of(std::size_t count) {
  segment_list list;
  for (std::size_t i = 0; i < count; ++i)
    list.push_back({16 * i, 8});
  return list;
}

} // namespace

TEST(SegmentList, KeepsTheOnlySegmentInPlace) {
  segment_list list{{16, 8}};
  const auto* const begin = reinterpret_cast<const std::byte*>(list.data());
  EXPECT_GE(begin, reinterpret_cast<const std::byte*>(&list));
  EXPECT_LT(begin, reinterpret_cast<const std::byte*>(&list + 1));
  list.push_back({32, 8});
  EXPECT_EQ(list, (std::vector<segment>{{16, 8}, {32, 8}}));
}

/// Else each place that still wants a vector would copy unnoticed.
TEST(SegmentList, DoesNotBecomeAVectorByItself) {
  static_assert(!std::is_convertible_v<segment_list, std::vector<segment>>);
  static_assert(std::is_convertible_v<segment_list&, std::span<const segment>>);
  static_assert(std::is_convertible_v<std::vector<segment>, segment_list>);
  static_assert(std::is_nothrow_move_constructible_v<segment_list>);
  static_assert(std::is_nothrow_move_assignable_v<segment_list>);
}

TEST(SegmentList, DoesWhatAVectorDoes) {
  constexpr unsigned seed = 7;
  std::mt19937 random(seed);
  std::vector<segment_list> lists(4);
  std::vector<std::vector<segment>> models(4);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t a = random() % lists.size(), b = random() % lists.size();
    const segment piece{random() % 64, 1 + random() % 8};
    switch (random() % 9) {
    case 0:
      lists[a].push_back(piece);
      models[a].push_back(piece);
      break;
    case 1: // of itself, too
      if (models[a].size() + models[b].size() > 200)
        break;
      append(lists[a], lists[b]);
      models[a].insert(models[a].end(), models[b].begin(), models[b].end());
      break;
    case 2:
      append(lists[a], piece);
      append(models[a], piece);
      break;
    case 3:
      lists[a] = lists[b];
      models[a] = models[b];
      break;
    case 4:
      lists[a] = segment_list(lists[b]);
      models[a] = models[b];
      break;
    case 5:
      std::swap(lists[a], lists[b]);
      std::swap(models[a], models[b]);
      break;
    case 6:
      lists[a].reserve(random() % 8);
      break;
    case 7:
      lists[a] = models[b];
      models[a] = models[b];
      break;
    default:
      lists[a].clear();
      models[a].clear();
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ASSERT_EQ(as_vector(lists[i]), models[i]) << "seed " << seed << ", round " << round;
      ASSERT_EQ(lists[i].empty(), models[i].empty());
    }
    ASSERT_EQ(lists[a] == lists[b], models[a] == models[b]);
  }
}

TEST(SegmentList, AppendsItself) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u}) {
    segment_list list = list_of(count);
    append(list, list);
    std::vector<segment> twice = as_vector(list_of(count));
    for (std::size_t i = 0; i < count; ++i)
      twice.push_back(segment{twice[i]});
    EXPECT_EQ(as_vector(list), twice);
  }
}

TEST(SegmentList, AppendsAPieceOfItself) {
  segment_list list = list_of(2);
  list.push_back(list.front()); // grows
  EXPECT_EQ(list, (std::vector<segment>{{0, 8}, {16, 8}, {0, 8}}));
}

TEST(SegmentList, IsAssignedToItself) {
  for (const std::size_t count : {0u, 1u, 3u}) {
    segment_list list = list_of(count);
    const segment_list& same = list;
    list = same;
    EXPECT_EQ(list, list_of(count));
  }
}

TEST(SegmentList, LeavesNothingWhereItIsMovedFrom) {
  for (const std::size_t count : {1u, 3u}) {
    segment_list from = list_of(count);
    const segment_list to = std::move(from);
    EXPECT_EQ(to, list_of(count));
    from = list_of(2);
    EXPECT_EQ(from, list_of(2));
  }
}
