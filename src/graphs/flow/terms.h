// What reductions leave, written out: terms ⊕(operator, operands) over initial values (SEMANTICS 2), or over what computations have written
// where that has names (flow.h, follow_with_calls).
//
// A graph says in which order and grouping operands are combined, and that is what runs. A term says what the
// combination means up to associativity: the sequence of its operands from left to right, or, if the operator
// commutes, which operands there are and how often. Collectives that reduce are statements about terms: an
// allreduce leaves one with an operand of each rank at every rank, a scan one with those up to its own.
#pragma once

#include "graphs/flow/evaluation.h"
#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::graphs {

/// The initial value of bytes of a rank, or what a computation has written there.
struct operand {
  rank_id rank = no_rank;
  std::uint64_t address = 0;
  friend auto operator<=>(const operand&, const operand&) = default;
};

/// How the operands are grouped.
enum class grouping : std::uint8_t {
  single,    ///< of two operands there is one grouping
  leftmost,  ///< ((a ⊕ b) ⊕ c) ⊕ d
  rightmost, ///< a ⊕ (b ⊕ (c ⊕ d))
  other,
};

/// `length` bytes at (destination, destination_address), whole elements, are the operands combined element by
/// element: byte i is made of byte i of each operand and the others of its element.
struct term {
  rank_id destination = no_rank;
  std::uint64_t destination_address = 0;
  std::uint64_t length = 0;
  reducer_id by = no_reducer;
  std::uint32_t part = 0; ///< of the graph (flow.h)
  grouping grouped = grouping::single;
  /// From left to right; if the operator commutes, sorted. An operand that counts twice stands here twice.
  std::vector<operand> operands;
  /// If the operator rounds: how the graph combines them, by their numbers in `operands`.
  evaluation order = {};
};

struct terms {
  std::vector<term> list; ///< sorted by destination, within one part as long as possible
  /// Bytes that reductions leave and that are no terms: other operators inside, values that are unknown, parts
  /// of elements.
  std::uint64_t other_bytes = 0;
  std::vector<std::uint32_t> other_parts; ///< that leave some of these
  bool complete = true;                   ///< false: more operands than allowed; `list` is empty
};

/// The terms of all bytes that reductions leave behind (`t.kept`). Cost O(operands written out, also in between).
terms terms_of(const graph& g, const transfers& t, std::uint64_t most_operands = 1ull << 24);

/// Consecutive ranks first, first ± 1, … last of successive operands.
struct rank_interval {
  rank_id first = no_rank, last = no_rank;
  friend bool operator==(const rank_interval&, const rank_interval&) = default;
};
std::vector<rank_interval> rank_intervals(const std::vector<operand>& operands);

/// "sum of double over ranks 3..0, 5".
std::string describe(const graph& g, const term& x);

} // namespace tacit::graphs
