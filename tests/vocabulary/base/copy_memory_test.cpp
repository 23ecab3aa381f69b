#include "vocabulary/base/copy_memory.h"

#include "oracle/fuzz_count.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace tacit {
namespace {

/// Wherever the target lies: behind the source by what is slow modulo a page, by anything else, or over it.
TEST(copy_memory, is_as_memmove_is) {
  constexpr std::size_t room = std::size_t{1} << 17, longest = std::size_t{1} << 14;
  std::vector<unsigned char> memory(room), expected;
  const std::uint64_t seed = oracle::fuzz_seed();
  std::mt19937_64 random(seed);
  std::size_t overlapping = 0;
  const auto cases = static_cast<int>(oracle::from_environment("TACIT_FUZZ_COUNT", 40)) * 250;
  for (int i = 0; i < cases; ++i) {
    std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(i));
    for (std::size_t k = 0; k < room; k += 251)
      memory[k] = static_cast<unsigned char>(random());
    const std::size_t n = random() % longest, from = longest + random() % (room / 4);
    const auto pages = static_cast<std::ptrdiff_t>(random() % 9) - 4;
    const std::ptrdiff_t behind =
        4096 * pages + static_cast<std::ptrdiff_t>(random() % (i % 2 == 0 ? 40 : 4096));
    const auto to = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(from + room / 4) + behind) -
                    (random() % 2 == 0 ? room / 4 : 0);
    overlapping += to < from + n && from < to + n;
    expected = memory;
    std::memmove(expected.data() + to, expected.data() + from, n);
    copy_memory(memory.data() + to, memory.data() + from, n);
    ASSERT_TRUE(memory == expected) << "seed " << seed << ", case " << i << ": " << n << " bytes from "
                                    << from << " to " << to;
  }
  EXPECT_GT(overlapping, static_cast<std::size_t>(cases) / 8);
}

} // namespace
} // namespace tacit
