// Expressions over ranks: whole numbers, as Python computes them (the remainder of a division by p lies in 0 … p − 1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::graphs {

enum class rank_operator : std::uint8_t {
  number,   ///< pushes `value`
  variable, ///< pushes variable number `value`
  negate,
  invert, ///< not
  add,
  subtract,
  multiply,
  divide, ///< rounds down
  remainder,
  shift_left,
  shift_right,
  bit_and,
  bit_xor,
  bit_or,
  equal,
  unequal,
  less,
  at_most,
  more,
  at_least,
  both,   ///< and
  either, ///< or
  minimum,
  maximum,
  square_root, ///< rounds down
};

struct rank_instruction {
  rank_operator what = rank_operator::number;
  std::int64_t value = 0;
};

/// In postfix order. Truth is 1 or 0, and whatever is not 0 is true.
using rank_expression = std::vector<rank_instruction>;

/// Nothing where it divides by zero, takes a root of a negative number, shifts by a negative one or leaves 64 bits; but what decides `and`
/// and `or` by itself needs nothing from the other side.
std::optional<std::int64_t> evaluate(const rank_expression& e, std::span<const std::int64_t> variables);

} // namespace tacit::graphs
