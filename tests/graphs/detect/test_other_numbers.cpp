// Which collectives may be true on one number of ranks only: known algorithms are not, halos on few ranks are.
#include "graphs/detect/other_numbers.h"

#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"

#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;
namespace {

std::vector<std::string> reasons_of(const graph& g, pattern only) {
  const compilation c = compile(g);
  EXPECT_FALSE(has_errors(c.problems));
  const graph known = with_groups(g, c.groups);
  std::vector<std::string> out;
  for (const finding& f : c.found.found)
    if (f.kind == only)
      out.push_back(why_on_this_number_only(known, c.moves(), f));
  return out;
}

TEST(other_numbers, known_algorithms_are_true_on_all) {
  int seen = 0;
  for (const known_algorithm& one : known_algorithms())
    for (const std::uint32_t ranks : {4u, 5u, 7u, 8u, 9u, 13u}) {
      const recipe r{.kind = one.kind, .form = one.form, .ranks = ranks, .block = 8};
      diagnostics problems;
      const std::optional<graph> g = generate(r, problems);
      if (!g)
        continue;
      for (const std::string& why : reasons_of(*g, one.kind)) {
        EXPECT_EQ(why, "") << name(one.kind) << " " << name(one.form) << " " << ranks;
        ++seen;
      }
    }
  EXPECT_GT(seen, 100);
}

/// Each rank has a place for each direction of a torus, corners too: `columns` 1 is a ring.
graph halo(std::uint32_t rows, std::uint32_t columns) {
  const std::uint32_t n = rows * columns;
  graph g(n);
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t down = 0; down < rows && down < 3; ++down)
      for (std::uint32_t right = 0; right < columns && right < 3; ++right) {
        const std::uint64_t direction = 3 * down + right;
        if (direction == 0)
          continue;
        const std::uint32_t steps_down = down == 2 ? rows - 1 : down,
                            steps_right = right == 2 ? columns - 1 : right;
        const auto there = [&](std::uint32_t from) {
          return (from / columns + steps_down) % rows * columns + (from % columns + steps_right) % columns;
        };
        g.send(rank_id{r}, segment{0x100 + 8 * direction, 8}, rank_id{there(r)}, static_cast<int>(direction));
        g.recv(rank_id{there(r)}, segment{0x200 + 8 * direction, 8}, rank_id{r}, static_cast<int>(direction));
      }
  return g;
}

TEST(other_numbers, halos_that_reach_everybody_are_said_to_be) {
  for (const auto& [rows, columns] : {std::pair{3u, 1u}, {3u, 3u}}) {
    const auto reasons = reasons_of(halo(rows, columns), pattern::alltoall);
    ASSERT_EQ(reasons.size(), 1u) << rows << " " << columns;
    EXPECT_NE(reasons.front(), "") << rows << " " << columns;
  }
  EXPECT_TRUE(reasons_of(halo(4, 1), pattern::alltoall).empty());
}

TEST(other_numbers, a_root_with_two_partners_may_be_their_neighbor) {
  for (const pattern kind : {pattern::bcast, pattern::scatter, pattern::gather}) {
    const auto on = [&](std::uint32_t ranks) {
      diagnostics problems;
      return reasons_of(
          *generate({.kind = kind, .form = algorithm::linear, .ranks = ranks, .block = 8}, problems), kind);
    };
    EXPECT_EQ(on(3), std::vector<std::string>{"in a group of 3 ranks all others are neighbors"})
        << name(kind);
    EXPECT_EQ(on(4), std::vector<std::string>{""}) << name(kind);
  }
}

} // namespace
} // namespace tacit::test
