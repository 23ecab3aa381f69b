#include "graphs/generate/generate.h"
#include "graphs/generate/naive_run.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace tacit::graphs {
namespace {

using test::memory;
using test::naive_run;

constexpr std::uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17};

std::string title(const recipe& r) {
  return std::string(name(r.form)) + " " + std::string(name(r.kind)) + " p=" + std::to_string(r.ranks) +
         " root=" + std::to_string(r.root) + " block=" + std::to_string(r.block);
}

bool impossible(const recipe& r) {
  return r.kind == pattern::alltoall && r.form == algorithm::butterfly && (r.ranks & (r.ranks - 1)) != 0;
}

/// What the pattern means, byte by byte.
memory meaning(const recipe& r) {
  const memory_layout at = layout_of(r, r.ranks);
  memory expected;
  const auto block = [&](std::uint32_t to, std::uint64_t into, std::uint32_t from, std::uint64_t source) {
    for (std::uint64_t b = 0; b < r.block; ++b)
      expected[{to, into + b}] = {from, source + b};
  };
  for (std::uint32_t i = 0; i < r.ranks; ++i)
    for (std::uint32_t j = 0; j < r.ranks; ++j) {
      if (i == j && !r.self_block)
        continue;
      if (r.kind == pattern::bcast && i == r.root && i != j)
        block(j, at.input, i, at.input);
      if (r.kind == pattern::scatter && i == r.root)
        block(j, at.output, i, at.input + j * r.block);
      if (r.kind == pattern::gather && j == r.root)
        block(j, at.output + i * r.block, i, at.input);
      if (r.kind == pattern::allgather)
        block(j, at.output + i * r.block, i, at.input);
      if (r.kind == pattern::alltoall)
        block(j, at.output + i * r.block, i, at.input + j * r.block);
    }
  return expected;
}

/// The binomial allgather's broadcast also delivers everybody's own block to its place.
void drop_own_blocks(const recipe& r, memory& bytes) {
  if (r.kind != pattern::allgather || r.self_block)
    return;
  std::erase_if(bytes, [](const auto& entry) { return entry.first.first == entry.second.first; });
}

void expect_meaning(const recipe& r) {
  diagnostics problems;
  const auto g = generate(r, problems);
  ASSERT_TRUE(g) << title(r) << ": " << problems.front().message;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    auto result = naive_run(*g, seed);
    EXPECT_EQ(result.stuck, 0u) << title(r);
    drop_own_blocks(r, result.bytes);
    EXPECT_EQ(result.bytes, meaning(r)) << title(r) << " in the random order of seed " << seed;
  }
}

TEST(generate, every_algorithm_means_exactly_its_pattern_for_any_number_of_ranks) {
  for (const known_algorithm& k : known_algorithms())
    for (const std::uint32_t p : sizes)
      for (const std::uint32_t root : std::set<std::uint32_t>{0, p / 2, p - 1})
        for (const std::uint64_t block : {1u, 6u}) {
          const recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = block, .root = root};
          if (!impossible(r))
            expect_meaning(r);
        }
}

TEST(generate, two_levels_take_nodes_of_any_sizes_in_any_order) {
  for (const known_algorithm& k : known_algorithms())
    for (const std::uint32_t p : sizes)
      for (std::uint32_t nodes = 1; nodes <= 7 && k.form == algorithm::two_level; ++nodes) {
        recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = 2, .root = p / 3};
        for (std::uint32_t i = 0; i < p; ++i)
          r.nodes.push_back(i * i * 3 % nodes * 1'000'000);
        expect_meaning(r);
      }
}

TEST(generate, own_blocks_are_copied_when_asked_for) {
  for (const known_algorithm& k : known_algorithms())
    for (const std::uint32_t p : {1u, 4u, 8u}) {
      recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = 3, .root = p / 2};
      r.self_block = true;
      expect_meaning(r);
    }
}

TEST(generate, butterfly_alltoall_of_other_sizes_is_refused_and_names_bruck) {
  diagnostics problems;
  const auto g = generate({.kind = pattern::alltoall, .form = algorithm::butterfly, .ranks = 6}, problems);
  EXPECT_FALSE(g);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems.front().message.find("power of two"), std::string::npos);
  EXPECT_NE(problems.front().remedy.find("bruck"), std::string::npos);
}

TEST(generate, what_nobody_knows_under_that_name_is_refused) {
  const recipe wrong[] = {
      {.kind = pattern::scatter, .form = algorithm::bruck},
      {.kind = pattern::bcast, .form = algorithm::butterfly},
      {.kind = pattern::alltoallv, .form = algorithm::linear},
      {.kind = pattern::bcast, .ranks = 0},
      {.kind = pattern::bcast, .ranks = 3, .root = 3},
      {.kind = pattern::bcast, .block = 0},
      {.kind = pattern::alltoall, .block = std::uint64_t{1} << 61},
      {.kind = pattern::bcast, .base = ~std::uint64_t{0}},
      {.kind = pattern::bcast, .form = algorithm::two_level, .ranks = 3, .nodes = {0, 1}},
      {.kind = pattern::alltoall, .form = algorithm::two_level, .ranks = 1 << 20, .ranks_per_node = 1 << 20},
      {.kind = pattern::bcast, .ranks = 1, .extra = 2}};
  for (const recipe& r : wrong) {
    diagnostics problems;
    EXPECT_FALSE(generate(r, problems)) << title(r);
    EXPECT_TRUE(has_errors(problems)) << title(r);
  }
}

TEST(generate, names_can_be_listed_and_read_back) {
  for (const known_algorithm& k : known_algorithms()) {
    EXPECT_EQ(find_algorithm(name(k.form)), k.form);
    EXPECT_EQ(find_pattern(name(k.kind)), k.kind);
    EXPECT_FALSE(k.what.empty());
  }
  EXPECT_FALSE(find_algorithm("quantum"));
  EXPECT_FALSE(find_pattern("reduced"));
}

/// Length of the longest chain of messages.
std::uint32_t rounds(const graph& g) {
  std::vector<std::uint32_t> depth(g.size(), 0);
  std::vector<std::vector<std::uint32_t>> before(g.size());
  for (const dependency& d : g.dependencies())
    before[index(d.after)].push_back(static_cast<std::uint32_t>(index(d.before)));
  std::uint32_t longest = 0;
  for (std::uint32_t i = 0; i < g.size(); ++i) { // a receive is created right after its send
    for (const std::uint32_t b : before[i])
      depth[i] = std::max(depth[i], depth[b]);
    if (g[op_id{i}].kind == op_kind::recv)
      depth[i] = std::max(depth[i], depth[i - 1] + 1);
    longest = std::max(longest, depth[i]);
  }
  return longest;
}

std::uint32_t messages(const graph& g) {
  return static_cast<std::uint32_t>(
      std::count_if(g.operations().begin(), g.operations().end(),
                    [](const operation& op) { return op.kind == op_kind::send; }));
}

TEST(generate, algorithms_have_the_rounds_and_messages_they_are_known_for) {
  for (const std::uint32_t p : {2u, 4u, 5u, 8u, 9u, 16u, 17u}) {
    const auto log = static_cast<std::uint32_t>(std::ceil(std::log2(p)));
    const auto expect = [&](pattern kind, algorithm form, std::uint32_t depth, std::uint32_t count) {
      diagnostics problems;
      const recipe r{.kind = kind, .form = form, .ranks = p, .block = 8};
      if (impossible(r))
        return;
      const auto g = generate(r, problems);
      ASSERT_TRUE(g);
      if (form == algorithm::bruck) // data may need fewer rounds than are made
        EXPECT_LE(rounds(*g), depth) << title(r);
      else
        EXPECT_EQ(rounds(*g), depth) << title(r);
      EXPECT_EQ(messages(*g), count) << title(r);
    };
    const bool power = (p & (p - 1)) == 0;
    expect(pattern::bcast, algorithm::linear, 1, p - 1);
    expect(pattern::bcast, algorithm::ring, p - 1, p - 1);
    expect(pattern::bcast, algorithm::pipelined, p - 1, 4 * (p - 1));
    expect(pattern::scatter, algorithm::linear, 1, p - 1);
    expect(pattern::scatter, algorithm::ring, p - 1, p * (p - 1) / 2);
    expect(pattern::allgather, algorithm::ring, p - 1, p * (p - 1));
    expect(pattern::allgather, algorithm::bruck, log, p * log);
    expect(pattern::alltoall, algorithm::linear, 1, p * (p - 1));
    expect(pattern::alltoall, algorithm::pairwise, p - 1, p * (p - 1));
    expect(pattern::alltoall, algorithm::bruck, log, p * log);
    expect(pattern::alltoall, algorithm::butterfly, log, p * log);
    expect(pattern::barrier, algorithm::dissemination, log, p * log);
    expect(pattern::barrier, algorithm::ring, 2 * p - 1, 2 * p - 1);
    expect(pattern::barrier, algorithm::linear, 2, 2 * (p - 1));
    if (power) {
      expect(pattern::bcast, algorithm::binomial, log, p - 1);
      expect(pattern::allgather, algorithm::recursive_doubling, log, p * log);
      expect(pattern::barrier, algorithm::butterfly, log, p * log);
      expect(pattern::barrier, algorithm::binomial, 2 * log, 2 * (p - 1));
    }
  }
}

/// Everybody must have heard, through signals, from everybody.
TEST(generate, every_barrier_synchronizes_everybody_with_everybody) {
  for (const known_algorithm& k : known_algorithms()) {
    if (k.kind != pattern::barrier)
      continue;
    for (const std::uint32_t p : sizes)
      for (const std::uint32_t root : {0u, p - 1}) {
        diagnostics problems;
        const recipe r{.kind = k.kind, .form = k.form, .ranks = p, .root = root};
        const auto g = generate(r, problems);
        ASSERT_TRUE(g);
        std::vector<std::set<std::uint32_t>> known(g->size());
        std::vector<std::set<std::uint32_t>> heard(p);
        std::vector<std::vector<std::uint32_t>> before(g->size());
        for (const dependency& d : g->dependencies())
          before[index(d.after)].push_back(static_cast<std::uint32_t>(index(d.before)));
        for (std::uint32_t i = 0; i < g->size(); ++i) {
          const operation& op = (*g)[op_id{i}];
          EXPECT_EQ(total_length(g->reads(op_id{i})) + total_length(g->writes(op_id{i})), 0u);
          known[i].insert(static_cast<std::uint32_t>(index(op.rank)));
          for (const std::uint32_t b : before[i])
            known[i].insert(known[b].begin(), known[b].end());
          if (op.kind == op_kind::recv)
            known[i].insert(known[i - 1].begin(), known[i - 1].end());
          heard[index(op.rank)].insert(known[i].begin(), known[i].end());
        }
        for (std::uint32_t rank = 0; rank < p && p > 1; ++rank)
          EXPECT_EQ(heard[rank].size(), p) << title(r) << " at rank " << rank;
      }
  }
}

TEST(generate, extra_messages_keep_the_pattern_and_its_race_freedom) {
  for (const known_algorithm& k : known_algorithms())
    for (const std::uint32_t p : {2u, 4u, 8u})
      for (const extra_messages kind : {extra_messages::disjoint, extra_messages::dependent})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          const recipe r{.kind = k.kind,
                         .form = k.form,
                         .ranks = p,
                         .block = 4,
                         .root = 1,
                         .extra = p,
                         .extra_kind = kind,
                         .extra_bytes = 9,
                         .seed = seed};
          diagnostics problems;
          const auto g = generate(r, problems);
          ASSERT_TRUE(g);
          auto first = naive_run(*g, 1), second = naive_run(*g, 2);
          EXPECT_EQ(first.stuck, 0u);
          EXPECT_EQ(first.bytes, second.bytes) << title(r) << " extra seed " << seed;
          std::erase_if(first.bytes, [&](const auto& b) { return b.first.second >= layout_of(r, p).extra; });
          drop_own_blocks(r, first.bytes);
          EXPECT_EQ(first.bytes, meaning(r)) << title(r) << " extra seed " << seed;
        }
}

TEST(generate, a_pattern_can_be_added_inside_a_communicator) {
  graph g(6);
  const comm_id odd = g.add_communicator("odd", {rank_id{5}, rank_id{3}, rank_id{1}});
  diagnostics problems;
  ASSERT_TRUE(add_pattern(g, odd, {.kind = pattern::bcast, .form = algorithm::ring, .block = 2, .root = 1},
                          problems));
  const memory expected{{{1, 0x1000}, {3, 0x1000}},
                        {{1, 0x1001}, {3, 0x1001}},
                        {{5, 0x1000}, {3, 0x1000}},
                        {{5, 0x1001}, {3, 0x1001}}};
  EXPECT_EQ(naive_run(g, 1).bytes, expected);
}

TEST(generate, same_seed_same_graph) {
  const recipe r{.kind = pattern::bcast,
                 .form = algorithm::binomial,
                 .ranks = 5,
                 .extra = 20,
                 .extra_kind = extra_messages::dependent,
                 .seed = 7};
  diagnostics problems;
  const auto a = generate(r, problems), b = generate(r, problems);
  EXPECT_EQ(naive_run(*a, 1).bytes, naive_run(*b, 1).bytes);
  EXPECT_EQ(a->dependencies().size(), b->dependencies().size());
}

} // namespace
} // namespace tacit::graphs
