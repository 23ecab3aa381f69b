// The memory of a rank against a map of single bytes: what reads see, and that equal memories have equal
// fragments: sorted, disjoint, as long as possible, none for a byte that holds its own initial value.
#include "graphs/flow/rank_memory.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace tacit;
using namespace tacit::graphs;

namespace {

constexpr rank_id self{1}, other{2};
using byte_value = std::pair<rank_id, std::uint64_t>;

class stage {
public:
  void write(const fragment& f) {
    memory_.write(f, budget_);
    for (std::uint64_t i = 0; i < f.length; ++i) {
      const byte_value value{f.source, f.source == no_rank ? f.source_address : f.source_address + i};
      if (value == byte_value{self, f.address + i})
        model_.erase(f.address + i);
      else
        model_[f.address + i] = value;
    }
  }

  void expect_fragments_as_they_must_be() const {
    std::map<std::uint64_t, byte_value> seen;
    fragment last;
    std::size_t count = 0;
    memory_.each([&](const fragment& f) {
      EXPECT_GT(f.length, 0u);
      EXPECT_FALSE(f.source == self && f.source_address == f.address) << "an initial value at " << f.address;
      if (count++ > 0) {
        EXPECT_LE(last.end(), f.address);
        EXPECT_FALSE(last.continued_by(f)) << "two fragments instead of one at " << f.address;
      }
      last = f;
      for (std::uint64_t i = 0; i < f.length; ++i)
        seen[f.address + i] = {f.source, f.source == no_rank ? f.source_address : f.source_address + i};
    });
    EXPECT_EQ(seen, model_);
    EXPECT_LE(count, memory_.size());
  }

  void expect_read(const segment& s, std::uint64_t offset) const {
    message_content content{counted_allocator<fragment>(budget_)};
    memory_.read(s, offset, content);
    std::uint64_t at = offset;
    for (const fragment& f : content) {
      ASSERT_EQ(f.address, at) << "a gap";
      for (std::uint64_t i = 0; i < f.length; ++i) {
        const std::uint64_t address = s.address + (f.address + i - offset);
        const auto known = model_.find(address);
        const byte_value wanted = known == model_.end() ? byte_value{self, address} : known->second;
        EXPECT_EQ(byte_value(f.source, f.source == no_rank ? f.source_address : f.source_address + i),
                  wanted);
      }
      at = f.end();
    }
    EXPECT_EQ(at, offset + s.length);
  }

  rank_memory take() { return std::move(memory_); }
  std::uint64_t held() const { return budget_.held(); }

private:
  mutable memory_budget budget_;
  rank_memory memory_{self};
  std::map<std::uint64_t, byte_value> model_;
};

} // namespace

TEST(rank_memory, equals_a_map_of_bytes) {
  for (std::uint64_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    stage s;
    const std::uint64_t space = seed % 3 == 0 ? 16 : 100 + below(2000), longest = 1 + below(30);
    for (int step = 0; step < 600 && !testing::Test::HasFailure(); ++step) {
      const std::uint64_t address = below(space), length = 1 + below(longest);
      switch (below(4)) {
      case 0:
        s.write({address, length, address, self, 0}); // it gets its own initial value back
        break;
      case 1:
        s.write({address, length, below(3), no_rank, 0});
        break;
      default:
        s.write({address, length, address + below(2), below(2) == 0 ? self : other, 0});
      }
      if (seed % 3 == 0 || step % 16 == 0)
        s.expect_fragments_as_they_must_be();
      s.expect_read({below(space), 1 + below(space / 2)}, below(100));
    }
    s.expect_fragments_as_they_must_be();
  }
}

TEST(rank_memory, one_fragment_allocates_nothing) {
  stage s;
  s.write({100, 50, 0, other, 0});
  s.write({150, 50, 50, other, 0});
  s.write({100, 10, 100, self, 0});
  s.write({190, 10, 190, self, 0});
  s.expect_fragments_as_they_must_be();
  EXPECT_EQ(s.held(), 0u);
  s.write({120, 10, 120, self, 0}); // in the middle: two fragments
  s.expect_fragments_as_they_must_be();
  EXPECT_GT(s.held(), 0u);
}

TEST(rank_memory, gives_back_what_it_took) {
  stage s;
  for (std::uint64_t i = 0; i < 1000; ++i)
    s.write({3 * i, 1, 7, other, 0});
  EXPECT_GT(s.held(), 32000u);
  s.take(); // moved out, and destroyed
  EXPECT_EQ(s.held(), 0u);
}

TEST(rank_memory, ends_of_the_address_space) {
  const std::uint64_t top = ~std::uint64_t{0} - 8;
  stage s;
  s.write({top, 8, 0, other, 0});
  s.write({0, 8, top, self, 0});
  s.expect_read({top - 4, 12}, 0);
  s.expect_read({0, 16}, 3);
  s.expect_fragments_as_they_must_be();
}
