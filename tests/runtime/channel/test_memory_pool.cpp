// Parts that are lent: never two at a time in the same place, zero at first, and lent again only when all who
// were shown them have said so. The peers here are another name of this process, or a child.
#include "runtime/channel/memory_pool.h"
#include "seed.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace tacit::test {

using namespace runtime;
namespace {

/// In the first eight bytes of a part.
std::uint64_t& word(std::byte* at) {
  return *reinterpret_cast<std::uint64_t*>(at);
}

/// What peers have given back is told to the owner.
void meet() {
  take_back(loans_to_return(this_process()));
}

TEST(memory_pool, a_part_is_lent_again_when_all_have_given_it_back) {
  lent_part mine;
  ASSERT_EQ(mine.take(5000), "");
  std::byte* const memory = mine.at(0);
  shown_part first(this_process(), mine.show()), second(this_process(), mine.show());
  const auto lent_again = [&] {
    std::vector<lent_part> others(20);
    bool again = false;
    for (lent_part& other : others) {
      EXPECT_EQ(other.take(5000), "");
      again = again || other.at(0) == memory;
    }
    return again;
  };
  EXPECT_FALSE(lent_again());
  mine = {};
  EXPECT_FALSE(lent_again()) << "two peers may still write there";
  first = {};
  meet();
  EXPECT_FALSE(lent_again()) << "one peer may still write there";
  second = {};
  EXPECT_FALSE(lent_again()) << "nobody has said that it does not";
  meet();
  EXPECT_TRUE(lent_again());
}

TEST(memory_pool, peers_see_the_same_bytes) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}, longest_pooled, longest_pooled + 1}) {
    lent_part mine;
    ASSERT_EQ(mine.take(bytes), "");
    const part_address where = mine.show();
    const process_identity owner = this_process();
    if (const pid_t child = fork(); child == 0) {
      shown_part theirs(owner, where);
      if (!theirs.open().empty() || word(theirs.at(0)) != 0)
        _exit(1);
      word(theirs.at(0)) = 77;
      std::memset(theirs.at(bytes - 1), 78, 1);
      _exit(0);
    } else {
      int status = 1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(word(mine.at(0)), bytes == 8 ? (std::uint64_t{78} << 56) + 77 : 77u);
    EXPECT_EQ(std::to_integer<int>(*mine.at(bytes - 1)), 78);
  }
}

TEST(memory_pool, a_long_part_is_gone_with_its_owner) {
  part_address where;
  {
    lent_part mine;
    ASSERT_EQ(mine.take(longest_pooled + 1), "");
    where = mine.show();
    EXPECT_EQ(where.number, 0u) << "nobody waits for its return";
    mine.all_have_opened();
    EXPECT_NE(shown_part(this_process(), where).open(), "") << "nobody else can open it";
  }
}

TEST(memory_pool, a_child_leaves_the_parts_of_its_parent_alone) {
  lent_part mine;
  ASSERT_EQ(mine.take(600), "");
  word(mine.at(0)) = 5;
  if (const pid_t child = fork(); child == 0) {
    lent_part own;
    if (!own.take(600).empty() || own.at(0) == mine.at(0))
      _exit(1);
    word(own.at(0)) = 6;
    mine = {};
    lent_part another;
    _exit(another.take(600).empty() && another.at(0) != own.at(0) && word(own.at(0)) == 6 ? 0 : 2);
  } else {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(word(mine.at(0)), 5u);
}

/// Takes, shows, returns and meetings in any order, against a list of all that somebody may still look at.
TEST(memory_pool, random_loans_never_overlap) {
  std::mt19937_64 random(seed());
  struct use {
    std::byte* begin;
    std::size_t bytes;
    lent_part owner;
    std::vector<shown_part> peers;
    bool owned = true;
    int told = 0; ///< peers that have given it back, which the owner does not know yet
  };
  std::vector<use> uses;
  std::size_t most = 0;
  const auto met = [&] {
    meet();
    for (use& u : uses)
      u.told = 0;
    std::erase_if(uses, [](const use& u) { return !u.owned && u.peers.empty(); });
  };
  for (int step = 0; step < 20000; ++step) {
    const auto kind = random() % 10;
    if (kind < 3 && uses.size() < 100) {
      use made{nullptr, std::size_t{1} << random() % 15, {}, {}};
      made.bytes += random() % made.bytes;
      ASSERT_EQ(made.owner.take(made.bytes), "");
      made.begin = made.owner.at(0);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(made.begin) %
                    std::min<std::size_t>(std::bit_ceil(made.bytes), 4096),
                0u);
      ASSERT_TRUE(
          std::all_of(made.begin, made.begin + made.bytes, [](std::byte b) { return b == std::byte{0}; }))
          << "SEED=" << seed();
      for (const use& other : uses)
        ASSERT_TRUE(made.begin + made.bytes <= other.begin || other.begin + other.bytes <= made.begin)
            << "step " << step << ", SEED=" << seed();
      std::memset(made.begin, 1 + step % 255, made.bytes);
      uses.push_back(std::move(made));
    } else if (kind < 9 && !uses.empty()) {
      use& u = uses[random() % uses.size()];
      if (u.owned && random() % 2) {
        u.peers.emplace_back(this_process(), u.owner.show());
      } else if (!u.peers.empty() && random() % 2) {
        u.peers.pop_back();
        ++u.told;
      } else if (u.owned) {
        u.owner = {};
        u.owned = false;
      }
      std::erase_if(uses, [](const use& one) { return !one.owned && one.peers.empty() && one.told == 0; });
    } else {
      met();
    }
    most = std::max(most, uses.size());
  }
  EXPECT_GT(most, 20u);
}

} // namespace
} // namespace tacit::test
