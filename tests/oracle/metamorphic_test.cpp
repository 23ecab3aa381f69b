// Changes of a graph whose effect on its transfers is known: relabelled ranks, shifted addresses, messages
// split in two (and so, read backwards, merged), operations made in another order.
#include "graphs/flow/analysis.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "oracle/simulator.h"
#include "oracle/transform.h"

#include <algorithm>
#include <random>

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::oracle;

namespace {

/// What the transfers of `g` must be after the transformation, in canonical order.
std::vector<transfer> expected(const graph& g, const transformation& how, const transformed& after) {
  std::vector<transfer> list = transfers_of(g);
  for (transfer& t : list) {
    t.destination_address = how.address(t.destination, t.destination_address);
    t.destination = how.rank(t.destination);
    if (t.source == no_rank) {
      t.source_address = index(after.now[t.source_address].front());
      continue;
    }
    t.source_address = how.address(t.source, t.source_address);
    t.source = how.rank(t.source);
  }
  std::sort(list.begin(), list.end(), [](const transfer& a, const transfer& b) {
    return a.destination != b.destination ? a.destination < b.destination
                                          : a.destination_address < b.destination_address;
  });
  return list;
}

template <typename Choose>
void expect_unchanged_meaning(const random_recipe& recipe, Choose&& choose) {
  for (std::uint64_t i = 0; i < fuzz_count() / 2 && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = fuzz_seed() + i;
    const graph g = random_graph(seed, recipe);
    std::mt19937_64 random(seed);
    const transformation how = choose(g, random);
    const transformed after = transform(g, how);
    EXPECT_EQ(transfers_of(after.g), expected(g, how, after));
    if (testing::Test::HasFailure())
      ADD_FAILURE() << "seed " << seed << "\n" << print(g) << "became\n" << print(after.g);
  }
}

} // namespace

TEST(metamorphic, relabelled_ranks) {
  expect_unchanged_meaning({}, [](const graph& g, std::mt19937_64& random) {
    std::vector<rank_id> to = g.communicators()[0].members;
    std::shuffle(to.begin(), to.end(), random);
    transformation how;
    how.rank = [to](rank_id r) { return to[index(r)]; };
    return how;
  });
}

TEST(metamorphic, shifted_addresses) {
  expect_unchanged_meaning({.high_addresses = false}, [](const graph& g, std::mt19937_64& random) {
    std::vector<std::uint64_t> by(g.ranks());
    for (std::uint64_t& b : by)
      b = random() >> 1;
    transformation how;
    how.address = [by](rank_id r, std::uint64_t a) { return a + by[index(r)]; };
    return how;
  });
}

TEST(metamorphic, messages_split_in_two) {
  // Not those to oneself: there the match itself orders the send before a receive that overwrites its bytes.
  expect_unchanged_meaning({}, [](const graph& g, std::mt19937_64& random) {
    const std::uint64_t salt = random();
    transformation how;
    how.cut = [salt, &g](op_id send) {
      return g[send].rank == g[send].peer ? 0 : (salt >> (index(send) % 48)) % 8;
    };
    return how;
  });
}

TEST(metamorphic, ranks_make_their_operations_one_after_the_other) {
  expect_unchanged_meaning({.one_sided = false}, [](const graph& g, std::mt19937_64&) {
    transformation how;
    how.order.resize(g.size());
    for (std::uint32_t i = 0; i < g.size(); ++i)
      how.order[i] = op_id{i};
    std::stable_sort(how.order.begin(), how.order.end(),
                     [&](op_id a, op_id b) { return g[a].rank > g[b].rank; });
    return how;
  });
}
