// Reading memory piece by piece: any division of the bytes on both sides, compared with the obvious loop. The process reads itself,
// which is allowed wherever cross-memory attach exists at all.
#include "runtime/channel/direct_read.h"

#include <gtest/gtest.h>
#include <random>
#include <unistd.h>
#include <vector>

namespace tacit::runtime {
namespace {

using bytes = std::vector<unsigned char>;

/// Divides `total` bytes into pieces of up to `longest`, each of them followed by a gap of up to 3; some pieces are empty.
std::vector<graphs::segment> divide(std::size_t total, std::size_t longest, std::mt19937& random) {
  std::vector<graphs::segment> list;
  for (std::uint64_t at = 0, done = 0; done < total;) {
    const std::uint64_t length = std::min<std::uint64_t>(total - done, random() % (longest + 1));
    list.push_back({at, length});
    at += length + random() % 4;
    done += length;
  }
  return list;
}

std::size_t extent(const std::vector<graphs::segment>& list) {
  return list.empty() ? 0 : list.back().address + list.back().length;
}

std::vector<graphs::segment> moved_to(const bytes& memory, std::vector<graphs::segment> list) {
  for (graphs::segment& s : list)
    s.address += reinterpret_cast<std::uint64_t>(memory.data());
  return list;
}

/// What the bytes `from` of `source` make of `into` of a memory full of 'x'.
bytes expected(const bytes& source, const std::vector<graphs::segment>& from,
               const std::vector<graphs::segment>& into) {
  bytes packed, out(extent(into) + 1, 'x');
  for (const graphs::segment& s : from)
    for (std::uint64_t i = 0; i < s.length; ++i)
      packed.push_back(source[s.address + i]);
  std::size_t next = 0;
  for (const graphs::segment& s : into)
    for (std::uint64_t i = 0; i < s.length; ++i)
      out[s.address + i] = packed[next++];
  return out;
}

TEST(direct_read, any_pieces_into_any_pieces) {
  std::mt19937 random(20261122);
  constexpr std::size_t lengths[] = {1, 3, 64, 700, 5000, 100000};
  for (int round = 0; round < 120; ++round) {
    const std::size_t total = random() % 200000 / (random() % 2 ? 1 : 100);
    const auto from = divide(total, lengths[random() % 6], random),
               into = divide(total, lengths[random() % 6], random);
    bytes source(extent(from) + 1), target(extent(into) + 1, 'x');
    for (unsigned char& b : source)
      b = static_cast<unsigned char>(random());
    const auto there = moved_to(source, from), here = moved_to(target, into);
    if (round == 0 && !read_memory(::getpid(), there, here))
      GTEST_SKIP() << "this system does not let a process read another's memory";
    ASSERT_TRUE(read_memory(::getpid(), there, here)) << "round " << round;
    ASSERT_EQ(target, expected(source, from, into)) << "round " << round;
  }
}

TEST(direct_read, what_is_no_memory_cannot_be_read) {
  bytes target(10);
  const graphs::segment nothing{64, 10}, into{reinterpret_cast<std::uint64_t>(target.data()), 10};
  EXPECT_FALSE(read_memory(::getpid(), {&nothing, 1}, {&into, 1}));
}

} // namespace
} // namespace tacit::runtime
