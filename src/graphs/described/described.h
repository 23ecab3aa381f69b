// Patterns that users describe: who sends whom how much, by expressions over ranks (docs/patterns.md).
//
// A description is a signature: on every number of ranks it says which pairs exchange bytes, and that some of their lengths are the same,
// without saying what they are. A graph has the pattern if its transfers within a communicator are exactly those: no pair too many, none
// too few, and lengths that fit. Such patterns are recognised and reported, never replaced.
#pragma once

#include "graphs/described/expression.h"
#include "vocabulary/base/diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// A multiple of a length with a name, or of one byte.
struct length_part {
  rank_expression times;
  std::optional<std::uint32_t> name; ///< number in the pattern's list
};

/// "each r, k where CONDITION: sends LENGTH to RANK". The first variable is the sender.
struct sending {
  std::vector<std::uint32_t> variables;
  rank_expression where;           ///< empty: always
  std::vector<length_part> length; ///< a sum; empty: any
  rank_expression to;
};

/// Variables are numbered: 0 is p, 1 the root.
struct described_pattern {
  std::string name, says;
  std::vector<std::pair<std::uint32_t, rank_expression>> lets; ///< in order, each for its variable
  rank_expression when;                                        ///< empty: always
  bool rooted = false;                                         ///< it speaks of a root
  std::vector<std::string> lengths;
  std::vector<sending> sends;
  std::uint32_t variables = 2;
};

inline constexpr std::uint32_t variable_p = 0, variable_root = 1;

/// The patterns of a file, or nothing and what is wrong with it, with line and column of each mistake.
std::optional<std::vector<described_pattern>> read_patterns(std::string_view text, diagnostics& problems);

} // namespace tacit::graphs
