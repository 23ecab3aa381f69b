// The tree of fragments against a map of single bytes, with so many fragments that its leaves split, empty
// and reach into each other.
#include "graphs/flow/fragment_tree.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace tacit;
using namespace tacit::graphs;

namespace {

using bytes = std::map<std::uint64_t, std::pair<rank_id, std::uint64_t>>;

void put(bytes& model, const fragment& f) {
  for (std::uint64_t i = 0; i < f.length; ++i)
    model[f.address + i] = {f.source, f.source == no_rank ? f.source_address : f.source_address + i};
}

void expect_equal(const fragment_tree& tree, const bytes& model, std::uint64_t from, std::uint64_t to) {
  bytes seen, wanted;
  std::uint64_t last = 0;
  tree.each(from, to, [&](const fragment& f) {
    EXPECT_LE(last, f.address) << "order";
    EXPECT_TRUE(f.address < to && f.end() > from) << "outside";
    last = f.end();
    put(seen, f);
  });
  for (const auto& [address, value] : seen)
    if (address >= from && address < to)
      wanted[address] = value;
  EXPECT_EQ(wanted, bytes(model.lower_bound(from), model.lower_bound(to)));
}

} // namespace

TEST(fragment_tree, equals_a_map_of_bytes) {
  for (std::uint64_t seed = 1; seed <= 40 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    memory_budget budget;
    fragment_tree tree(budget);
    bytes model;
    const std::uint64_t space = 200 + below(4000), longest = 1 + below(40);
    for (int step = 0; step < 3000 && !testing::Test::HasFailure(); ++step) {
      const std::uint64_t length = below(200) == 0 ? 1 + below(space / 2) : 1 + below(longest);
      const std::uint64_t address = seed % 4 == 0 ? (step * 7ull) % space : below(space);
      if (below(8) == 0) {
        tree.erase(address, address + length);
        model.erase(model.lower_bound(address), model.lower_bound(address + length));
      } else { // few sources and nearly equal offsets, so that neighbors often continue each other
        const rank_id source = below(10) == 0 ? no_rank : rank_id{static_cast<std::uint32_t>(below(2))};
        const fragment f{address, length, source == no_rank ? below(2) : address + below(2), source, 0};
        tree.assign(f);
        put(model, f);
      }
      if (step % 16 == 0) {
        const std::uint64_t from = below(space);
        expect_equal(tree, model, from, from + 1 + below(space / 4));
      }
    }
    expect_equal(tree, model, 0, 2 * space);
    std::size_t count = 0;
    tree.each([&](const fragment&) { ++count; });
    EXPECT_EQ(count, tree.size());
    EXPECT_LE(tree.size(), model.size());
  }
}

TEST(fragment_tree, erasing_everything_leaves_nothing) {
  memory_budget budget;
  fragment_tree tree(budget);
  for (std::uint64_t i = 0; i < 1000; ++i)
    tree.assign({2 * i, 1, 7, rank_id{3}, 0});
  EXPECT_EQ(tree.size(), 1000u);
  tree.erase(0, 5000);
  EXPECT_EQ(tree.size(), 0u);
  tree.assign({10, 5, 0, rank_id{1}, 0});
  EXPECT_EQ(tree.size(), 1u);
}
