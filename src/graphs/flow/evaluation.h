// In which order and grouping operands are combined, where that decides about bits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// An expression in postfix: numbers of operands, and `combine_both` where what stands before the last value is combined with it, left ⊕ right.
/// ((0 ⊕ 1) ⊕ 2) is 0 1 combine_both 2 combine_both. Empty: any order gives the same.
using evaluation = std::vector<std::uint32_t>;
inline constexpr std::uint32_t combine_both = ~std::uint32_t{0};

/// Whether it is one expression that has each of `operands` numbers once.
bool is_evaluation_of(const evaluation& e, std::uint32_t operands);

/// 0 ⊕ (1 ⊕ (2 ⊕ …)).
evaluation from_the_last(std::uint32_t operands);

/// "((0 + 1) + 2) + 3" as "from 0 to 3", "0 + (1 + (2 + 3))" as "from 3 to 0", others in brackets; long ones are cut.
std::string describe(const evaluation& e);

/// The value of an expression that is one: leaf(number) of an operand, both(left, right) of two values.
template <typename Leaf, typename Both>
auto evaluate(const evaluation& e, Leaf&& leaf, Both&& both) {
  std::vector<decltype(leaf(std::uint32_t{}))> values;
  for (const std::uint32_t x : e) {
    if (x != combine_both) {
      values.push_back(leaf(x));
      continue;
    }
    auto right = std::move(values.back());
    values.pop_back();
    auto left = std::move(values.back());
    values.pop_back();
    values.push_back(both(std::move(left), std::move(right)));
  }
  return std::move(values.back());
}

} // namespace tacit::graphs
