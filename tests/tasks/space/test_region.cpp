// Regions against sets of points.
#include "tasks/space/region.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace tacit::tasks {
namespace {

using points = std::set<point>;

points points_of(const region& r) {
  points out;
  for (const box& b : r.boxes())
    for (coordinate x = b[0].begin; x < b[0].end; ++x)
      for (coordinate y = b[1].begin; y < b[1].end; ++y)
        for (coordinate z = b[2].begin; z < b[2].end; ++z)
          EXPECT_TRUE(out.insert({x, y, z}).second) << "boxes overlap: " << text_of(r);
  return out;
}

points joined(const points& a, const points& b) {
  points out = a;
  out.insert(b.begin(), b.end());
  return out;
}

class random_regions {
public:
  explicit random_regions(unsigned seed) : random_(seed) {}
  box some_box() {
    box out;
    for (int d = 0; d < dimensions; ++d) {
      const coordinate begin = below(5);
      out[d] = {begin, begin + below(4)};
    }
    return out;
  }
  region some_region() {
    std::vector<box> boxes;
    for (coordinate n = below(5); n >= 0; --n)
      boxes.push_back(some_box());
    return region(std::move(boxes));
  }
  coordinate below(coordinate n) { return std::uniform_int_distribution<coordinate>(0, n - 1)(random_); }

private:
  std::mt19937 random_;
};

TEST(region, is_a_set_of_points) {
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed < first + 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_regions make(seed);
    const region a = make.some_region(), b = make.some_region();
    const points in_a = points_of(a), in_b = points_of(b);
    points both, only_a;
    for (const point& p : in_a)
      (in_b.contains(p) ? both : only_a).insert(p);
    EXPECT_EQ(points_of(union_of(a, b)), joined(in_a, in_b));
    EXPECT_EQ(points_of(intersection(a, b)), both);
    EXPECT_EQ(points_of(difference(a, b)), only_a);
    EXPECT_EQ(overlap(a, b), !both.empty());
    EXPECT_EQ(a.contains(b), both.size() == in_b.size());
    EXPECT_EQ(static_cast<std::size_t>(a.volume()), in_a.size());
    EXPECT_EQ(a == b, in_a == in_b);
    if (HasFailure())
      return;
  }
}

TEST(region, has_one_form_however_it_was_made) {
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed < first + 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_regions make(seed);
    const region a = make.some_region(), b = make.some_region();
    EXPECT_EQ(union_of(a, b), union_of(b, a));
    EXPECT_EQ(union_of(difference(a, b), intersection(a, b)), a);
    EXPECT_EQ(difference(union_of(a, b), difference(b, a)), a);
    if (HasFailure())
      return;
  }
}

TEST(region, speaks) {
  EXPECT_EQ(text_of(region()), "{}");
  EXPECT_EQ(text_of(region(box_of(point{0, 0, 0}, point{8, 1, 1}))), "[0,8)");
  EXPECT_EQ(text_of(region({box_of(point{0, 2, 0}, point{1, 4, 1}), box_of(point{4, 2, 0}, point{5, 4, 1})})),
            "{[0,1)x[2,4), [4,5)x[2,4)}");
}

} // namespace
} // namespace tacit::tasks
