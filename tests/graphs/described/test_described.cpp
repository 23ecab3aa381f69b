// Graphs have the patterns that users describe exactly if the pairs and lengths are those, which is tried here with every single difference.
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tacit::graphs {
namespace {

using exchange = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

std::vector<described_pattern> patterns(const std::string& clauses) {
  diagnostics problems;
  auto read = read_patterns("tacit patterns 1\npattern \"mine\"\n" + clauses, problems);
  EXPECT_TRUE(read) << clauses << ": " << (problems.empty() ? "" : problems.front().message);
  return *std::move(read);
}

graph graph_of(std::uint32_t ranks, const exchange& all) {
  graph g(ranks);
  std::vector<std::uint64_t> next(ranks, 0x1000000);
  for (const auto& [pair, bytes] : all) {
    g.send(rank_id{pair.first}, segment{0x1000 * (pair.second + 1ull), bytes}, rank_id{pair.second});
    g.recv(rank_id{pair.second}, segment{next[pair.second], bytes}, rank_id{pair.first});
    next[pair.second] += bytes + 8;
  }
  return g;
}

described_findings look(const graph& g, const std::string& clauses) {
  compile_options options;
  options.described = patterns(clauses);
  return compile(g, options).described;
}

std::string found_in(const graph& g, const std::string& clauses) {
  const described_findings d = look(g, clauses);
  std::string out;
  for (const described_finding& f : d.found)
    out += (out.empty() ? "" : "; ") + describe(f, g);
  return out.empty() && !d.missed.empty() ? "no: " + d.missed.front().detail : out;
}

exchange ring(std::uint32_t p, std::uint64_t bytes) {
  exchange all;
  for (std::uint32_t r = 0; r < p; ++r)
    all[{r, (r + 1) % p}] = bytes;
  return all;
}

TEST(described, a_ring_is_found_with_its_length) {
  const std::string clauses = "each r: sends block to (r + 1) % p";
  for (const std::uint32_t p : {2u, 3u, 5u, 16u})
    EXPECT_EQ(found_in(graph_of(p, ring(p, 40)), clauses),
              "mine among " + std::to_string(p) + " ranks, block 40 B");
}

TEST(described, every_single_difference_is_seen) {
  const std::string clauses = "each r: sends block to (r + 1) % p";
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b) {
      if (a == b)
        continue;
      exchange more = ring(4, 8), less = more;
      more[{a, b}] += 8;
      less.erase({a, b});
      EXPECT_EQ(found_in(graph_of(4, more), clauses).rfind("no: ", 0), 0u) << a << " " << b;
      EXPECT_EQ(found_in(graph_of(4, less), clauses).rfind("no: ", 0) == 0, less.size() < 4) << a << " " << b;
    }
  exchange longer = ring(4, 8);
  longer[{2, 3}] = 9;
  EXPECT_EQ(found_in(graph_of(4, longer), clauses),
            "no: rank 2 sends 9 B to rank 3, which is another length");
  longer.erase({2, 3});
  EXPECT_EQ(found_in(graph_of(4, longer), clauses), "no: rank 2 sends nothing to rank 3");
  longer = ring(4, 8);
  longer[{1, 0}] = 5;
  EXPECT_EQ(found_in(graph_of(4, longer), clauses), "no: rank 1 also sends 5 B to rank 0");
}

TEST(described, lengths_are_names_numbers_multiples_and_sums) {
  exchange all;
  for (std::uint32_t r = 0; r < 3; ++r) {
    all[{r, r + 1}] = 3 * 16 + 4;
    all[{r + 1, r}] = 10;
  }
  const graph g = graph_of(4, all);
  EXPECT_EQ(found_in(g, "each r: sends 3 * row + 4 to r + 1 each r: sends back to r - 1"),
            "mine among 4 ranks, row 16 B, back 10 B");
  EXPECT_EQ(found_in(g, "each r: sends any to r + 1 each r: sends 10 to r - 1"), "mine among 4 ranks");
  EXPECT_EQ(found_in(g, "each r: sends 5 * row to r + 1 each r: sends any to r - 1"),
            "no: no length 'row' fits");
  EXPECT_EQ(found_in(g, "each r: sends row to r + 1 each r: sends row to r - 1"),
            "no: rank 1 sends 10 B to rank 0, which is another length");
  EXPECT_EQ(found_in(g, "each r: sends row to r + 1 each r: sends 11 to r - 1"),
            "no: rank 1 sends 10 B to rank 0, which is another length");
  // What two clauses say of one pair adds up: 52 = a + b, 10 = a.
  EXPECT_EQ(found_in(g, "each r: sends a to r + 1 each r: sends b to r + 1 each r: sends a to r - 1"),
            "mine among 4 ranks, a 10 B, b 42 B");
  EXPECT_EQ(found_in(g, "each r: sends a + 5 * b to r + 1 each r: sends 2 * a + 10 * b to r - 1"),
            "no: its lengths contradict each other");
}

TEST(described, lengths_may_depend_on_the_rank) {
  exchange all;
  for (std::uint32_t r = 1; r < 5; ++r)
    all[{r, 0}] = 8ull * r;
  EXPECT_EQ(found_in(graph_of(5, all), "each r: sends (r) * block to 0"), "mine among 5 ranks, block 8 B");
}

TEST(described, a_root_is_found) {
  for (std::uint32_t root = 0; root < 5; ++root) {
    exchange all;
    for (std::uint32_t r = 0; r < 5; ++r)
      if (r != root && r != (root + 1) % 5)
        all[{r, root}] = 24;
    const std::string clauses = "each r where r != (root + 1) % p: sends block to root";
    EXPECT_EQ(found_in(graph_of(5, all), clauses),
              "mine among 5 ranks, root " + std::to_string(root) + ", block 24 B");
    all[{(root + 2) % 5, (root + 3) % 5}] = 24;
    EXPECT_EQ(found_in(graph_of(5, all), clauses).rfind("no: ", 0), 0u);
  }
}

TEST(described, conditions_and_lets_hold_on_grids) {
  const std::string halo = "let q = sqrt(p) when q * q == p\n"
                           "each r where r % q > 0: sends column to r - 1\n"
                           "each r where r % q < q - 1: sends column to r + 1\n"
                           "each r: sends row to r - q\n"
                           "each r: sends row to r + q";
  exchange all;
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 3; ++x) {
      if (x < 2)
        all[{3 * y + x, 3 * y + x + 1}] = all[{3 * y + x + 1, 3 * y + x}] = 8;
      if (y < 2)
        all[{3 * y + x, 3 * y + x + 3}] = all[{3 * y + x + 3, 3 * y + x}] = 72;
    }
  EXPECT_EQ(found_in(graph_of(9, all), halo), "mine among 9 ranks, column 8 B, row 72 B");
  EXPECT_EQ(found_in(graph_of(10, all), halo), "no: its condition does not hold on 10 ranks");
  EXPECT_EQ(found_in(graph_of(9, all), "each r: sends x to r / (p - 9)"),
            "no: a destination has no value at rank 0 of 9");
}

/// Two variables name pairs freely.
TEST(described, pairs_may_be_all_that_a_condition_allows) {
  exchange all;
  for (std::uint32_t r = 0; r < 6; ++r)
    for (std::uint32_t k = 0; k < 6; ++k)
      if (r < k && (r + k) % 2 == 0)
        all[{r, k}] = 8;
  EXPECT_EQ(found_in(graph_of(6, all), "each r, k where r < k and (r + k) % 2 == 0: sends x to k"),
            "mine among 6 ranks, x 8 B");
}

TEST(described, communicators_and_what_collectives_leave_are_looked_at) {
  recipe r{.kind = pattern::bcast, .ranks = 6, .block = 64};
  diagnostics problems;
  graph g = *generate(r, problems);
  const comm_id odd = g.add_communicator("odd", {rank_id{5}, rank_id{1}, rank_id{3}});
  for (std::uint32_t i = 0; i < 6; ++i) {
    g.send(rank_id{i}, segment{0x100000, 16}, rank_id{(i + 1) % 6}, 5);
    g.recv(rank_id{(i + 1) % 6}, segment{0x200000, 16}, rank_id{i}, 5);
  }
  EXPECT_EQ(found_in(g, "each r: sends block to (r + 1) % p"),
            "mine among 6 ranks, block 16 B, of what collectives leave");
  g.send(rank_id{5}, segment{0x300000, 4}, rank_id{3}, 6);
  g.recv(rank_id{3}, segment{0x400000, 4}, rank_id{5}, 6);
  const described_findings d = look(g, "each r where r == 0: sends x to 2");
  ASSERT_EQ(d.found.size(), 1u);
  EXPECT_EQ(d.found.front().comm, odd);
  EXPECT_EQ(describe(d.found.front(), g), "mine among 3 ranks of odd, x 4 B");
  EXPECT_TRUE(d.missed.empty());
}

/// Random signatures, written out rank by rank, are found; with one pair more, less or of another length they are not.
TEST(described, random_signatures_are_found_exactly) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int i = 0; i < 400; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + below(7));
    const std::uint64_t a = 1 + below(9), b = 1 + below(9), c = below(4), bytes = 8 * (1 + below(5));
    const std::string to = "(" + std::to_string(a) + " * r + " + std::to_string(b) + ") % p";
    const std::string clauses = "each r where r % 4 != " + std::to_string(c) + ": sends x to " + to;
    exchange all;
    for (std::uint32_t r = 0; r < p; ++r)
      if (const auto k = static_cast<std::uint32_t>((a * r + b) % p); r % 4 != c && k != r)
        all[{r, k}] = bytes;
    if (all.empty())
      continue;
    const std::string wanted =
        "mine among " + std::to_string(p) + " ranks, x " + std::to_string(bytes) + " B";
    ASSERT_EQ(found_in(graph_of(p, all), clauses), wanted) << clauses;
    exchange other = all;
    const auto r = static_cast<std::uint32_t>(below(p)),
               k = static_cast<std::uint32_t>((r + 1 + below(p - 1)) % p);
    if (other.contains({r, k}) && other.size() > 1)
      other.erase({r, k});
    else if (!other.contains({r, k}))
      other[{r, k}] = bytes;
    else
      continue;
    ASSERT_EQ(found_in(graph_of(p, other), clauses).rfind("no: ", 0), 0u) << clauses;
  }
}

} // namespace
} // namespace tacit::graphs
