#include "recordings/meaning/numbering.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tacit::recordings {
namespace {

/// Nearly all values meet in a few places.
struct bad_hash {
  std::size_t operator()(std::uint64_t value) const { return value % 7; }
};
struct same_word {
  std::size_t operator()(std::uint64_t value) const { return value; }
};

template <typename Hash>
void compare_with_map(std::uint64_t values, int questions, unsigned seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::map<std::uint64_t, std::uint32_t> numbers;
  numbering<std::uint64_t, Hash> tested;
  for (int i = 0; i < questions; ++i) {
    const std::uint64_t value = random() % values;
    const auto known = numbers.find(value);
    ASSERT_EQ(tested.find(value), known == numbers.end() ? none : known->second);
    if (random() % 2 == 0)
      continue;
    const auto [at, is_new] = numbers.try_emplace(value, static_cast<std::uint32_t>(numbers.size()));
    ASSERT_EQ(tested.number_of(value), at->second);
    ASSERT_EQ(tested.size(), numbers.size());
    ASSERT_EQ(tested[at->second], value);
  }
}

TEST(numbering, numbers_as_a_map_does) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    compare_with_map<same_word>(1 + seed * seed * 20, 20'000, seed);
    compare_with_map<bad_hash>(1 + seed * 8, 2'000, seed);
  }
}

} // namespace
} // namespace tacit::recordings
