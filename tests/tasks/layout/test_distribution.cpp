// Who holds what, asked by box, against asking every rank.
#include "tasks/layout/distribution.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tacit::tasks {
namespace {

const range extent{{14, 10, 1}};

std::vector<mapper> catalogue() {
  return {one_to_one(),
          all(),
          fixed(box_of({2, 1, 0}, {5, 3, 1})),
          slice(0),
          slice(1),
          neighborhood({2, 1, 0}),
          transposed({1, 0, 2}),
          even_split(3)};
}

geometry some_geometry(std::mt19937& random) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  geometry out;
  out.dims = 2;
  out.global = box_of({below(2), below(2), 0}, {3 + below(8), 3 + below(7), 1});
  out.split = static_cast<split_rule>(below(3));
  if (out.split == split_rule::one_dim && below(2) == 0) {
    std::vector<std::uint32_t> weights;
    for (int r = 0; r < 6; ++r)
      weights.push_back(static_cast<std::uint32_t>(below(4)));
    out.weights = weights;
  }
  return out;
}

TEST(distribution, finds_the_ranks_that_hold_a_box) {
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed < first + 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const geometry shape = some_geometry(random);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    const coordinate x = below(14), y = below(10);
    const box what = box_of({x, y, 0}, {x + 1 + below(5), y + 1 + below(5), 1});
    for (const mapper& map : catalogue()) {
      const distribution where{std::make_shared<const split>(make_split(shape, 6)), map.terms[0], extent,
                               nullptr};
      std::map<std::uint32_t, region> asked, found;
      for (std::uint32_t r = 0; r < 6; ++r)
        if (const region common = intersection(where.piece(r), region(what)); !common.empty())
          asked[r] = common;
      for_each_holder(where, what, [&](std::uint32_t rank, const region& common) {
        EXPECT_TRUE(found.emplace(rank, common).second);
      });
      EXPECT_EQ(asked, found) << map.name << " of " << text_of(what) << " over " << text_of(shape.global);
    }
    if (HasFailure())
      return;
  }
}

} // namespace
} // namespace tacit::tasks
