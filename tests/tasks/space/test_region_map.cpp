// Values by region against an array.
#include "tasks/space/region_map.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tacit::tasks {
namespace {

std::map<point, int> points_of(const region_map<int>& m) {
  std::map<point, int> out;
  for (const auto& e : m.entries())
    for (coordinate x = e.where[0].begin; x < e.where[0].end; ++x)
      for (coordinate y = e.where[1].begin; y < e.where[1].end; ++y)
        EXPECT_TRUE(out.emplace(point{x, y, 0}, e.value).second) << "entries overlap";
  return out;
}

TEST(region_map, holds_what_an_array_holds) {
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed < first + 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    region_map<int> map(box_of(range{{8, 6, 1}}), 0);
    std::map<point, int> array = points_of(map);
    for (int step = 0; step < 20; ++step) {
      const coordinate x = below(8), y = below(6);
      const box where = box_of(
          {x, y, 0}, {x + 1 + below(static_cast<int>(8 - x)), y + 1 + below(static_cast<int>(6 - y)), 1});
      const int value = below(3), kind = below(2);
      kind ? map.assign(where, value) : map.update(where, [&](int& v) { v += value; });
      for (auto& [p, v] : array)
        if (where.contains(box_of(p, {p[0] + 1, p[1] + 1, 1})))
          v = kind ? value : v + value;
      EXPECT_EQ(points_of(map), array);
    }
    map.assign(box_of(range{{8, 6, 1}}), 7);
    EXPECT_EQ(map.entries().size(), 1u);
    if (HasFailure())
      return;
  }
}

TEST(region_map, joins_neighbors_with_equal_values) {
  region_map<int> map(box_of(range{{8, 8, 1}}), 0);
  for (coordinate i = 0; i < 8; ++i)
    map.assign(box_of({i, 0, 0}, {i + 1, 8, 1}), 1);
  EXPECT_EQ(map.entries().size(), 1u);
}

} // namespace
} // namespace tacit::tasks
