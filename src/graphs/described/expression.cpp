#include "graphs/described/expression.h"

#include <algorithm>
#include <cmath>

namespace tacit::graphs {
namespace {

using whole_number = std::optional<std::int64_t>;

whole_number checked(bool overflow, std::int64_t value) {
  return overflow ? whole_number() : whole_number(value);
}

whole_number divided(std::int64_t a, std::int64_t b, bool remainder) {
  if (b == 0 || (b == -1 && a == INT64_MIN))
    return std::nullopt;
  const std::int64_t quotient = a / b, rest = a % b;
  const bool down = rest != 0 && (rest < 0) != (b < 0);
  return remainder ? rest + (down ? b : 0) : quotient - (down ? 1 : 0);
}

whole_number shifted(std::int64_t a, std::int64_t by, bool left) {
  constexpr std::int64_t bits = 62;
  if (by < 0)
    return std::nullopt;
  if (!left)
    return a >> std::min(by, bits);
  if (by > bits)
    return a == 0 ? whole_number(0) : std::nullopt;
  std::int64_t out = 0;
  const bool over = __builtin_mul_overflow(a, std::int64_t{1} << by, &out);
  return checked(over, out);
}

whole_number root_of(std::int64_t a) {
  if (a < 0)
    return std::nullopt;
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  constexpr std::int64_t largest = 3037000499; // whose square has 63 bits
  root = std::min(root, largest);
  while (root * root > a)
    --root;
  while (root < largest && (root + 1) * (root + 1) <= a)
    ++root;
  return root;
}

whole_number of_one(rank_operator what, std::int64_t a) {
  if (what == rank_operator::negate)
    return checked(a == INT64_MIN, a == INT64_MIN ? 0 : -a);
  return what == rank_operator::invert ? whole_number(a == 0) : root_of(a);
}

whole_number of_two(rank_operator what, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (what) {
  case rank_operator::add: {
    const bool over = __builtin_add_overflow(a, b, &out);
    return checked(over, out);
  }
  case rank_operator::subtract: {
    const bool over = __builtin_sub_overflow(a, b, &out);
    return checked(over, out);
  }
  case rank_operator::multiply: {
    const bool over = __builtin_mul_overflow(a, b, &out);
    return checked(over, out);
  }
  case rank_operator::divide:
    return divided(a, b, false);
  case rank_operator::remainder:
    return divided(a, b, true);
  case rank_operator::shift_left:
    return shifted(a, b, true);
  case rank_operator::shift_right:
    return shifted(a, b, false);
  case rank_operator::bit_and:
    return a & b;
  case rank_operator::bit_xor:
    return a ^ b;
  case rank_operator::bit_or:
    return a | b;
  case rank_operator::equal:
    return a == b;
  case rank_operator::unequal:
    return a != b;
  case rank_operator::less:
    return a < b;
  case rank_operator::at_most:
    return a <= b;
  case rank_operator::more:
    return a > b;
  case rank_operator::at_least:
    return a >= b;
  case rank_operator::minimum:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

/// `decides`: the truth of one side that is that of the whole.
whole_number of_truths(whole_number a, whole_number b, bool decides) {
  for (const whole_number& side : {a, b})
    if (side && (*side != 0) == decides)
      return decides;
  return a && b ? whole_number(!decides) : std::nullopt;
}

bool takes_one(rank_operator what) {
  return what == rank_operator::negate || what == rank_operator::invert || what == rank_operator::square_root;
}

} // namespace

std::optional<std::int64_t> evaluate(const rank_expression& e, std::span<const std::int64_t> variables) {
  std::vector<whole_number> stack;
  for (const rank_instruction& i : e) {
    if (i.what == rank_operator::number) {
      stack.emplace_back(i.value);
    } else if (i.what == rank_operator::variable) {
      stack.emplace_back(variables[static_cast<std::size_t>(i.value)]);
    } else if (takes_one(i.what)) {
      whole_number& a = stack.back();
      a = a ? of_one(i.what, *a) : a;
    } else {
      const whole_number b = stack.back();
      stack.pop_back();
      whole_number& a = stack.back();
      if (i.what == rank_operator::both || i.what == rank_operator::either)
        a = of_truths(a, b, i.what == rank_operator::either);
      else
        a = a && b ? of_two(i.what, *a, *b) : std::nullopt;
    }
  }
  return stack.back();
}

} // namespace tacit::graphs
