#include "graphs/graph/patience_sort.h"
#include "oracle/fuzz_count.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace tacit::graphs;

namespace {

/// Ascending lists in turns, now and then the wrong way round, or with too many lists.
std::vector<std::uint64_t> lists_in_turns(std::mt19937_64& random) {
  std::vector<std::uint64_t> next(1 + random() % (random() % 4 == 0 ? 80 : 8));
  for (std::uint64_t& n : next)
    n = random() % 1000;
  std::vector<std::uint64_t> made(random() % 600);
  for (std::uint64_t& item : made) {
    std::uint64_t& of = next[random() % next.size()];
    item = of += random() % 4;
  }
  if (random() % 3 == 0)
    std::ranges::reverse(made);
  if (random() % 3 == 0 && !made.empty())
    std::ranges::rotate(made, made.begin() + static_cast<std::ptrdiff_t>(random() % made.size()));
  return made;
}

} // namespace

TEST(patience_sort, equals_sorting_by_comparing) {
  patience_sorter<std::uint64_t> sorter;
  for (std::uint64_t i = 0; i < tacit::oracle::fuzz_count(); ++i) {
    const std::uint64_t seed = tacit::oracle::fuzz_seed() + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> ours = lists_in_turns(random), truth = ours;
    std::ranges::sort(truth);
    sorter.sort(std::span(ours), std::less<>());
    ASSERT_EQ(ours, truth);
  }
}
