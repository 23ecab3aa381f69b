// Descriptions of patterns are read, or every mistake is named with its line and column.
#include "graphs/described/described.h"

#include <gtest/gtest.h>
#include <random>

namespace tacit::graphs {
namespace {

std::string mistakes(const std::string& text) {
  diagnostics problems;
  const auto read = read_patterns(text, problems);
  EXPECT_EQ(read.has_value(), problems.empty()) << text;
  std::string out;
  for (const diagnostic& d : problems)
    out += (out.empty() ? "" : "\n") + d.message;
  return out;
}

std::string in_pattern(const std::string& clauses) {
  return mistakes("tacit patterns 1\npattern \"x\"\n" + clauses);
}

TEST(read_patterns, well_formed_ones_are_read) {
  diagnostics problems;
  const auto all = read_patterns(R"(tacit patterns 1
# comments end with their line
pattern "ring shift"
  says "each rank passes its block on"
  each r: sends block to (r + 1) % p
pattern "halo" when p >= 4 let q = sqrt(p) each r where r % q != 0 and not r == root: sends 2 * row + 8 to r - 1
  each r, k: sends (k - r) * row + (p) to k
  each s: sends any to
     s ^ 1
)",
                                 problems);
  ASSERT_TRUE(all) << problems.front().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].says, "each rank passes its block on");
  EXPECT_FALSE((*all)[0].rooted);
  EXPECT_TRUE((*all)[1].rooted);
  EXPECT_EQ((*all)[1].sends.size(), 3u);
  EXPECT_EQ((*all)[1].lengths, std::vector<std::string>{"row"});
  EXPECT_TRUE((*all)[1].sends[2].length.empty());
}

TEST(read_patterns, malformed_ones_are_named_with_line_and_column) {
  EXPECT_EQ(mistakes(""),
            "line 1, column 1: expected 'tacit patterns 1' as the first line, found the end of the file");
  EXPECT_EQ(mistakes("tacit graph 1"),
            "line 1, column 7: expected 'tacit patterns 1' as the first line, found 'graph'");
  EXPECT_EQ(mistakes("tacit patterns 2"), "line 1, column 16: expected version 1 of the format, found '2'");
  EXPECT_EQ(mistakes("tacit patterns 1\neach r: sends x to 0"),
            "line 2, column 1: 'each' belongs to no pattern");
  EXPECT_EQ(mistakes("tacit patterns 1\npattern ring"),
            "line 2, column 9: expected the name of the pattern, in double quotes, found 'ring'");
  EXPECT_EQ(mistakes("tacit patterns 1\npattern \"ring"),
            "line 2, column 9: the text has no closing quote in its line");
  EXPECT_EQ(mistakes("tacit patterns 1\npattern \"a\"\n"), "line 2, column 1: pattern \"a\" sends nothing");
  EXPECT_EQ(in_pattern("each r: sends x to (r + 1 % p"),
            "line 3, column 30: expected ')', found the end of the file");
  EXPECT_EQ(in_pattern("each r: sends x to r +\neach s: sends x to s + 1"),
            "line 4, column 1: expected a number, a variable or '(', found 'each'");
  EXPECT_EQ(in_pattern("each r sends x to 0"), "line 3, column 8: expected ':', found 'sends'");
  EXPECT_EQ(in_pattern("each r: sends to 0"), "line 3, column 15: 'to' has a meaning of its own");
  EXPECT_EQ(in_pattern("each r: sends x to roots"),
            "line 3, column 20: there is no variable 'roots' here (did you mean root?)");
  EXPECT_EQ(in_pattern("each p: sends x to 0"), "line 3, column 6: 'p' has a meaning of its own");
  EXPECT_EQ(in_pattern("each r, r: sends x to 0"), "line 3, column 9: 'r' is known already");
  EXPECT_EQ(in_pattern("each a, b, c: sends x to 0"),
            "line 3, column 1: 'each' takes the sender and at most one more variable");
  EXPECT_EQ(in_pattern("let q = 2 let q = 3"), "line 3, column 15: 'q' is known already");
  EXPECT_EQ(in_pattern("let n = 2 each r: sends n to 0"),
            "line 3, column 25: 'n' is a number, not the name of a length");
  EXPECT_EQ(in_pattern("when p = 3"), "line 3, column 8: '=' compares nothing");
  EXPECT_EQ(in_pattern("when 1 < p < 3"), "line 3, column 14: comparisons do not follow each other");
  EXPECT_EQ(in_pattern("when p > 1 when p < 3"), "line 3, column 12: a pattern has one 'when'");
  EXPECT_EQ(in_pattern("each r: sends 99999999999999999999 to 0"),
            "line 3, column 15: the number is larger than 2^40");
  EXPECT_EQ(in_pattern("each r: sends x to r $ 1"),
            "line 3, column 22: expected 'pattern', 'says', 'when', 'let' or 'each', found '$'");
  EXPECT_EQ(in_pattern("each r: sends x to min(r)"), "line 3, column 25: expected ',', found ')'");
  EXPECT_EQ(in_pattern("each r: sends 3 * 4 to 0"),
            "line 3, column 19: expected the name of a length, found '4'");
  EXPECT_EQ(in_pattern("each r: sends x to r\x01"),
            "line 3, column 21: expected 'pattern', 'says', 'when', 'let' or 'each', found '\\x01'");
  EXPECT_EQ(in_pattern("each r: sends x to " + std::string(100, '(') + "r"),
            "line 3, column 84: more than 64 levels of parentheses");
}

TEST(read_patterns, several_mistakes_are_reported_together) {
  EXPECT_EQ(in_pattern("when\nlet 3\neach r: sends x to zeta\neach r: sends x to r + 1"),
            "line 4, column 1: expected a number, a variable or '(', found 'let'\n"
            "line 4, column 5: expected a name, found '3'\n"
            "line 5, column 20: there is no variable 'zeta' here");
}

/// Bytes of a good file, changed: nothing may crash, hang or be read as something without a word about it.
TEST(read_patterns, any_bytes_are_answered) {
  const std::string good = "tacit patterns 1\npattern \"a\" let q = sqrt(p) when q * q == p\n"
                           "each r, k where not (r < k or -r > 3): sends 2 * x + (q) to min(r, k) << 1\n";
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 5);
      else if (random() % 2 == 0)
        text.insert(at, 1, static_cast<char>(random()));
      else
        text[at] = good[random() % good.size()];
      if (text.empty())
        break;
    }
    mistakes(text);
  }
}

std::optional<std::int64_t> value_of(const std::string& expression, std::int64_t p) {
  diagnostics problems;
  const auto read =
      read_patterns("tacit patterns 1 pattern \"x\" when " + expression + " each r: sends x to r", problems);
  EXPECT_TRUE(read) << expression << ": " << (problems.empty() ? "" : problems.front().message);
  const std::vector<std::int64_t> variables{p, 1};
  return evaluate(read->front().when, variables);
}

TEST(rank_expressions, bind_and_count_as_in_python) {
  const std::pair<const char*, std::int64_t> all[] = {
      {"1 + 2 * 3", 7},        {"(1 + 2) * 3", 9}, {"-7 / 2", -4},
      {"-7 % 3", 2},           {"7 % -3", -2},     {"p & p - 1 == 0", 1},
      {"p ^ 1 | 16", 25},      {"1 << 2 + 1", 8},  {"not p == 3", 1},
      {"not not p", 1},        {"--p", 8},         {"min(p, 3) + max(1, 2)", 5},
      {"sqrt(p)", 2},          {"sqrt(9)", 3},     {"1 or 1 / 0", 1},
      {"p > 8 and 1 / 0", 0},  {"8 >> 70", 0},     {"2 < p and p <= 8", 1},
      {"p != 8 or p >= 9", 0}, {"-8 >> 1", -4},    {"sqrt(1099511627775)", 1048575}};
  for (const auto& [text, wanted] : all)
    EXPECT_EQ(value_of(text, 8), wanted) << text;
  for (const char* const text : {"1 / 0", "p % 0", "1 << 63", "1 << -1", "sqrt(-1)", "0 or 1 / 0",
                                 "1 and p / 0", "(1 << 40) * (1 << 40)"})
    EXPECT_EQ(value_of(text, 8), std::nullopt) << text;
}

} // namespace
} // namespace tacit::graphs
