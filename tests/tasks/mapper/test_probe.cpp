// Functors of the user: recognised, opaque, or found to be no homomorphism.
#include "tasks/mapper/probe.h"

#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

const range whole_buffer{{24, 10, 1}};
const box whole_range = box_of(whole_buffer);

mapper_function as_function(const mapper& map) {
  return [map](const box& chunk, const box& whole, const range& of) { return image(map, chunk, whole, of); };
}

TEST(probe, recognizes_the_catalogue) {
  for (const mapper& map : {one_to_one(), all(), fixed(box_of({1, 2, 0}, {5, 4, 1})), slice(0), slice(1),
                            neighborhood({1, 2, 0}), transposed({0, 1, 2})}) {
    const probed found = probe(as_function(map), whole_range, whole_buffer);
    ASSERT_TRUE(found.recognized) << map.name;
    for (coordinate x = 0; x < 24; x += 5) {
      const box chunk = box_of({x, 1, 0}, {std::min<coordinate>(24, x + 5), 7, 1});
      EXPECT_EQ(region(image(*found.recognized, chunk, whole_range, whole_buffer)),
                image(map, chunk, whole_range, whole_buffer))
          << map.name;
    }
  }
}

TEST(probe, keeps_a_functor_that_is_no_term) {
  const auto mirrored = [](const box& chunk, const box& whole, const range&) {
    box out = chunk;
    out[0] = {whole[0].end - chunk[0].end, whole[0].end - chunk[0].begin};
    return region(out);
  };
  const probed found = probe(mirrored, whole_range, whole_buffer);
  EXPECT_FALSE(found.recognized);
  EXPECT_FALSE(found.counterexample);
}

/// Parts of few elements look like a term at some of the items.
TEST(probe, takes_no_division_of_few_elements_for_a_term_that_differs) {
  for (coordinate items = 1; items <= 9; ++items)
    for (coordinate elements = 1; elements <= 6; ++elements)
      for (coordinate granularity = 1; granularity <= 3; ++granularity) {
        const mapper divided = even_split(granularity);
        const box all_items = box_of({0, 0, 0}, {items, 7, 1});
        const range extent{{elements, 3, 1}};
        const probed found = probe(as_function(divided), all_items, extent);
        EXPECT_FALSE(found.counterexample);
        for (coordinate begin = 0; begin < items && found.recognized; ++begin)
          for (coordinate end = begin + 1; end <= items; ++end) {
            const box chunk = box_of({begin, 0, 0}, {end, 7, 1});
            EXPECT_EQ(region(image(*found.recognized, chunk, all_items, extent)),
                      image(divided, chunk, all_items, extent))
                << items << " items, " << elements << " elements, from " << begin << " to " << end;
          }
      }
}

TEST(probe, finds_what_is_no_homomorphism) {
  const auto half = [](const box& chunk, const box&, const range&) { // the first half of each chunk
    box out = chunk;
    out[0].end -= chunk[0].length() / 2;
    return region(out);
  };
  EXPECT_TRUE(probe(half, whole_range, whole_buffer).counterexample);
}

} // namespace
} // namespace tacit::tasks
