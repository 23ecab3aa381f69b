// Generated reductions leave what their pattern means, byte by byte, on the simulator; algorithms that keep the order of ranks do so for
// operators that do not commute, too.
#include "graphs/generate/generate.h"
#include "oracle/happens_before.h"
#include "oracle/simulator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace tacit::graphs {
namespace {

using oracle::byte_value;

constexpr std::uint32_t numbers_of_ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

const reducer pairs_in_order{"join", "pair", 2, false, false, true};
const reducer pairs{"sum", "pair", 2, true, false, true};

bool impossible_reduction(const recipe& r) {
  return r.form == algorithm::recursive_halving && (r.ranks & (r.ranks - 1)) != 0;
}

std::string reduction_title(const recipe& r) {
  return std::string(name(r.form)) + " " + std::string(name(r.kind)) + " p=" + std::to_string(r.ranks) +
         " root=" + std::to_string(r.root) + " block=" + std::to_string(r.block);
}

/// The first and the last rank whose operands a rank's result has; nothing: it gets none.
std::optional<std::pair<std::uint32_t, std::uint32_t>> operands_of(const recipe& r, std::uint32_t rank) {
  if (r.kind == pattern::reduce && rank != r.root)
    return std::nullopt;
  if (r.kind == pattern::exscan)
    return rank == 0 ? std::nullopt : std::optional(std::pair(0u, rank - 1));
  return std::pair(0u, r.kind == pattern::scan ? rank : r.ranks - 1);
}

std::vector<byte_value> result_of(const recipe& r, std::uint32_t rank,
                                  std::pair<std::uint32_t, std::uint32_t> ranks) {
  const std::uint64_t from =
      layout_of(r, r.ranks).input + (r.kind == pattern::reduce_scatter_block ? rank * r.block : 0);
  std::vector<byte_value> all;
  for (std::uint32_t i = ranks.first; i <= ranks.second; ++i) {
    std::vector<byte_value> operand;
    for (std::uint64_t b = 0; b < r.block; ++b)
      operand.emplace_back(i, from + b);
    all = i == ranks.first ? operand : oracle::combine(reducer_id{0}, r.by.element, all, operand);
  }
  return all;
}

void expect_combined(const recipe& r) {
  diagnostics problems;
  const auto g = generate(r, problems);
  ASSERT_TRUE(g) << reduction_title(r) << ": " << problems.front().message;
  EXPECT_FALSE(has_errors(check_operations(*g))) << reduction_title(r);
  const oracle::meaning_of_bytes meaning(*g, true);
  const auto memory = oracle::simulator(*g).run(r.ranks);
  const memory_layout at = layout_of(r, r.ranks);
  for (std::uint32_t rank = 0; rank < r.ranks; ++rank) {
    const auto ranks = operands_of(r, rank);
    const auto wanted = ranks ? result_of(r, rank, *ranks) : std::vector<byte_value>();
    std::size_t live = 0;
    for (const auto& [address, value] : memory[rank]) {
      if (address >= at.scratch)
        continue;
      ++live;
      ASSERT_TRUE(address >= at.output && address < at.output + wanted.size())
          << reduction_title(r) << " writes " << address << " at rank " << rank;
      ASSERT_EQ(meaning(value), meaning(wanted[address - at.output]))
          << reduction_title(r) << " rank " << rank;
    }
    EXPECT_EQ(live, wanted.size()) << reduction_title(r) << " rank " << rank;
    for (const auto& [scratch_rank, bytes] : g->scratch_bytes())
      EXPECT_GE(bytes.address, at.scratch);
  }
}

TEST(generate, every_reduction_means_exactly_its_pattern_for_any_number_of_ranks) {
  for (const known_algorithm& k : combining_algorithms())
    for (const std::uint32_t p : numbers_of_ranks)
      for (const std::uint32_t root : std::set<std::uint32_t>{0, p - 1})
        for (const std::uint64_t block : {2u, 6u}) {
          recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = block, .root = root};
          r.by = pairs;
          if (!impossible_reduction(r))
            expect_combined(r);
        }
}

TEST(generate, reductions_keep_the_order_of_ranks_or_are_refused) {
  int kept = 0;
  for (const known_algorithm& k : combining_algorithms())
    for (const std::uint32_t p : numbers_of_ranks) {
      recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = 4, .root = p / 2};
      r.by = pairs_in_order;
      if (impossible_reduction(r))
        continue;
      diagnostics problems;
      if (generate(r, problems)) {
        expect_combined(r);
        ++kept;
      } else {
        EXPECT_NE(problems.front().message.find("does not commute"), std::string::npos);
      }
    }
  EXPECT_EQ(kept, 10 * static_cast<int>(std::size(numbers_of_ranks)));
}

/// Nodes of up to seven kinds: in a row, of sizes that differ, or anyhow.
std::vector<std::uint32_t> some_nodes(std::uint32_t ranks, std::uint32_t nodes, bool in_a_row) {
  std::vector<std::uint32_t> made;
  for (std::uint32_t i = 0; i < ranks; ++i)
    made.push_back((in_a_row ? i * i * nodes / (ranks * ranks) * 5 % 7 : i * i * 3 % nodes) * 1'000'000);
  return made;
}

TEST(generate, reductions_in_two_levels_take_nodes_of_any_sizes_in_any_order) {
  int kept = 0, refused = 0;
  for (const known_algorithm& k : combining_algorithms())
    for (const std::uint32_t p : numbers_of_ranks)
      for (std::uint32_t nodes = 1; nodes <= 7 && k.form == algorithm::two_level; ++nodes)
        for (const std::uint32_t root : std::set<std::uint32_t>{0, p / 3, p - 1})
          for (const bool in_a_row : {true, false}) {
            recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = 4, .root = root};
            r.nodes = some_nodes(p, nodes, in_a_row);
            r.by = pairs;
            expect_combined(r);
            r.by = pairs_in_order;
            diagnostics problems;
            const bool exists = generate(r, problems).has_value();
            EXPECT_EQ(exists, are_nodes_in_a_row(r.nodes)) << reduction_title(r);
            EXPECT_TRUE(exists || !in_a_row) << reduction_title(r);
            (exists ? kept : refused) += 1;
            if (exists)
              expect_combined(r);
            else
              EXPECT_NE(problems.front().message.find("does not commute"), std::string::npos);
          }
  EXPECT_GT(kept, 100);
  EXPECT_GT(refused, 100);
}

/// Of messages to other nodes there are as many as a leader needs, and the results of leaders are told to their nodes.
TEST(generate, reductions_in_two_levels_cross_the_network_once_for_each_node) {
  const auto crossing = [](pattern kind, std::uint32_t ranks, std::uint32_t each, std::uint32_t root) {
    diagnostics problems;
    recipe r{.kind = kind, .form = algorithm::two_level, .ranks = ranks, .block = 4, .root = root};
    r.ranks_per_node = each;
    const auto g = generate(r, problems);
    return std::ranges::count_if(g->operations(), [&](const operation& op) {
      return op.kind == op_kind::send && index(op.rank) / each != index(op.peer) / each;
    });
  };
  for (const std::uint32_t root : {0u, 5u, 11u})
    EXPECT_EQ(crossing(pattern::reduce, 12, 3, root), 3);
  EXPECT_EQ(crossing(pattern::allreduce, 12, 3, 0), 4 * 2);
  EXPECT_EQ(crossing(pattern::allreduce, 18, 3, 0), 2 + 4 * 2 + 2); // six nodes, two stand back
  EXPECT_EQ(crossing(pattern::reduce_scatter_block, 12, 3, 0), 4 * 3);
}

TEST(generate, reductions_of_parts_of_elements_are_refused) {
  recipe r{.kind = pattern::scan, .block = 6};
  r.by = {"sum", "int", 4, true, false, true};
  diagnostics problems;
  EXPECT_FALSE(generate(r, problems));
  EXPECT_NE(problems.front().message.find("not whole elements of 4 bytes"), std::string::npos);
  r.kind = pattern::reduce_scatter_block;
  r.form = algorithm::recursive_halving;
  r.ranks = 6;
  problems.clear();
  EXPECT_FALSE(generate(r, problems));
  EXPECT_NE(problems.front().remedy.find("pairwise"), std::string::npos);
}

} // namespace
} // namespace tacit::graphs
