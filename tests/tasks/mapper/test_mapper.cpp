// The catalogue of mappers: what each maps to, and that all of them are homomorphisms.
#include "tasks/mapper/mapper.h"

#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

box box_3d(coordinate x0, coordinate x1, coordinate y0, coordinate y1, coordinate z0 = 0, coordinate z1 = 1) {
  return box_of({x0, y0, z0}, {x1, y1, z1});
}

const range extent{{12, 8, 1}};
const box global = box_of(extent);

std::string mapped(const mapper& map, const box& chunk, const box& execution = global) {
  return text_of(image(map, chunk, execution, extent));
}

TEST(mapper, catalogue_maps_as_its_names_say) {
  const box chunk = box_3d(2, 4, 0, 8);
  EXPECT_EQ(mapped(one_to_one(), chunk), "[2,4)x[0,8)");
  EXPECT_EQ(mapped(all(), chunk), "[0,12)x[0,8)");
  EXPECT_EQ(mapped(fixed(box_3d(1, 2, 3, 4)), chunk), "[1,2)x[3,4)");
  EXPECT_EQ(mapped(slice(0), chunk), "[0,12)x[0,8)");
  EXPECT_EQ(mapped(slice(1), box_3d(2, 4, 1, 2)), "[2,4)x[0,8)");
  EXPECT_EQ(mapped(neighborhood({1, 1, 0}), chunk), "[1,5)x[0,8)") << "clamped";
  EXPECT_EQ(mapped(neighborhood({1, 1, 0}, neighborhood_shape::along_axes), box_3d(2, 4, 2, 4)),
            "{[1,2)x[2,4), [2,4)x[1,5), [4,5)x[2,4)}");
  EXPECT_EQ(mapped(transposed({1, 0, 2}), box_3d(2, 4, 1, 6)), "[1,6)x[2,4)");
  EXPECT_EQ(mapped(even_split(), box_3d(1, 2, 0, 1), box_3d(0, 4, 0, 1)), "[3,6)x[0,8)");
  EXPECT_EQ(mapped(even_split(4), box_3d(0, 1, 0, 1), box_3d(0, 2, 0, 1)), "[0,4)x[0,8)");
  EXPECT_EQ(mapped(even_split(4), box_3d(1, 2, 0, 1), box_3d(0, 2, 0, 1)), "[4,12)x[0,8)");
  EXPECT_EQ(mapped(one_to_one(), box_3d(11, 14, 0, 1)), "[11,14)") << "what lies outside is seen, not hidden";
}

TEST(mapper, nothing_maps_to_nothing) {
  for (const mapper& map : {one_to_one(), all(), neighborhood({1, 0, 0}), even_split()})
    EXPECT_TRUE(image(map, box{}, global, extent).empty()) << map.name;
}

TEST(mapper, even_split_of_ranges_whose_products_exceed_64_bits) {
  const coordinate n = coordinate{1} << 40;
  const box whole = box_3d(0, n, 0, 1);
  EXPECT_EQ(text_of(image(even_split(), whole, whole, {{n, 1, 1}})), text_of(whole));
  EXPECT_EQ(text_of(image(even_split(3), box_3d(n / 2, n, 0, 1), whole, {{6 * n, 1, 1}})),
            text_of(box_3d(3 * n, 6 * n, 0, 1)));
}

std::vector<mapper> catalogue() {
  return {one_to_one(),
          all(),
          fixed(box_3d(2, 5, 1, 3)),
          slice(0),
          slice(1),
          neighborhood({1, 0, 0}),
          neighborhood({2, 1, 0}),
          neighborhood({2, 1, 0}, neighborhood_shape::along_axes),
          transposed({1, 0, 2}),
          even_split(),
          even_split(3)};
}

TEST(mapper, catalogue_is_homomorphic) {
  for (const mapper& map : catalogue())
    for (int d = 0; d < 2; ++d)
      for (coordinate at = 1; at < extent[d]; ++at) {
        box low = global, high = global;
        low[d].end = high[d].begin = at;
        EXPECT_EQ(union_of(image(map, low, global, extent), image(map, high, global, extent)),
                  image(map, global, global, extent))
            << map.name << ", dimension " << d << " cut at " << at;
      }
}

} // namespace
} // namespace tacit::tasks
