// Regular and irregular lists of pieces, copied in parts of any size and order, against the plain list.
#include "runtime/channel/strided_memory.h"
#include "seed.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace tacit::test {

using namespace runtime;
namespace {

constexpr std::uint64_t lengths[] = {0, 1, 3, 4, 7, 8, 12, 16, 24, 32, 33, 100, 1000};

/// Runs of equal pieces, forwards and backwards, with single ones between; no two pieces overlap.
std::vector<graphs::segment> random_pieces(std::mt19937_64& random, std::vector<std::byte>& memory) {
  std::vector<graphs::segment> list;
  std::uint64_t at = 0;
  for (std::uint64_t runs = 1 + random() % 6; runs > 0; --runs) {
    const std::uint64_t length = lengths[random() % std::size(lengths)];
    const std::uint64_t distance = length + random() % 40, count = 1 + random() % 30;
    const bool backwards = random() % 2;
    for (std::uint64_t i = 0; i < count; ++i)
      list.push_back({at + distance * (backwards ? count - 1 - i : i), length});
    at += distance * count + random() % 64;
  }
  memory.resize(at + 1);
  for (graphs::segment& s : list)
    s.address += reinterpret_cast<std::uint64_t>(memory.data());
  for (std::byte& b : memory)
    b = static_cast<std::byte>(random());
  return list;
}

std::vector<std::byte> packed(const std::vector<graphs::segment>& list) {
  std::vector<std::byte> bytes;
  for (const graphs::segment& s : list) {
    const auto* const from = reinterpret_cast<const std::byte*>(s.address);
    bytes.insert(bytes.end(), from, from + s.length);
  }
  return bytes;
}

TEST(strided_memory, parts_of_any_size_and_order) {
  std::mt19937_64 random(seed());
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<std::byte> memory;
    const std::vector<graphs::segment> list = random_pieces(random, memory);
    const std::vector<std::byte> expected = packed(list);
    strided_memory strided(list);
    std::vector<std::byte> got(expected.size());
    for (std::uint64_t first = 0; first < got.size();) { // in order
      const std::uint64_t n = std::min<std::uint64_t>(got.size() - first, 1 + random() % 500);
      strided.gather(got.data() + first, first, n);
      first += n;
    }
    ASSERT_EQ(got, expected) << "SEED=" << seed();
    for (int i = 0; i < 10 && !got.empty(); ++i) { // anywhere
      const std::uint64_t first = random() % got.size(), n = random() % (got.size() - first + 1);
      std::vector<std::byte> part(n);
      strided.gather(part.data(), first, n);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(first)))
          << first << " + " << n << " SEED=" << seed();
    }
    const std::vector<std::byte> untouched = memory;
    for (std::byte& b : got)
      b = ~b;
    for (std::uint64_t first = 0; first < got.size();) {
      const std::uint64_t n = std::min<std::uint64_t>(got.size() - first, 1 + random() % 500);
      strided.scatter(got.data() + first, first, n);
      first += n;
    }
    ASSERT_EQ(packed(list), got) << "SEED=" << seed();
    std::vector<std::byte> all = untouched;
    for (const graphs::segment& s : list)
      for (std::uint64_t k = 0; k < s.length; ++k) {
        std::byte& b = all[s.address + k - reinterpret_cast<std::uint64_t>(memory.data())];
        b = ~b;
      }
    ASSERT_EQ(memory, all) << "nothing between the pieces, SEED=" << seed();
  }
}

TEST(strided_memory, a_border_is_one_run_and_moves) {
  std::vector<std::byte> memory(2 * 64 * 100);
  std::vector<graphs::segment> list;
  for (std::uint64_t row = 0; row < 100; ++row)
    list.push_back({reinterpret_cast<std::uint64_t>(memory.data()) + row * 64, 12});
  strided_memory strided(list);
  EXPECT_EQ(strided.runs(), 1u);
  EXPECT_EQ(strided.contiguous(0, 12), nullptr);
  strided.move(64 * 100);
  const std::vector<std::byte> ones(1200, std::byte{1});
  strided.scatter(ones.data(), 0, 1200);
  for (std::size_t i = 0; i < memory.size(); ++i)
    ASSERT_EQ(memory[i], std::byte(i >= 6400 && i % 64 < 12)) << i;
  strided_memory one({{0, 0}, {reinterpret_cast<std::uint64_t>(memory.data()), 640}, {0, 0}});
  EXPECT_EQ(one.contiguous(40, 600), memory.data() + 40);
  strided_memory none;
  none.gather(nullptr, 0, 0);
  EXPECT_EQ(none.runs(), 0u);
}

} // namespace
} // namespace tacit::test
