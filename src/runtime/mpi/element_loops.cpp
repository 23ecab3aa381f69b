#include "runtime/mpi/element_loops.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

namespace tacit::runtime {
namespace {

/// Blocks of the length of a vector register, which compilers turn into vector code at any level.
template <typename T, typename Operator>
void combine(const std::byte* from, std::byte* into, std::size_t count) {
  constexpr std::size_t together = 16 / sizeof(T);
  const auto combine_next = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    std::array<T, n> a, b;
    std::memcpy(a.data(), from, sizeof a);
    std::memcpy(b.data(), into, sizeof b);
    for (std::size_t i = 0; i < n; ++i)
      b[i] = static_cast<T>(Operator()(a[i], b[i]));
    std::memcpy(into, b.data(), sizeof b);
    from += sizeof a;
    into += sizeof b;
  };
  for (; count >= together; count -= together)
    combine_next(std::integral_constant<std::size_t, together>());
  for (; count > 0; --count)
    combine_next(std::integral_constant<std::size_t, 1>());
}

struct exactly_one {
  template <typename T>
  bool operator()(T a, T b) const {
    return (a != 0) != (b != 0);
  }
};

using named_loop = std::pair<std::string_view, element_loop>;

template <typename T>
constexpr named_loop arithmetic[]{{"sum", combine<T, std::plus<>>},
                                  {"product", combine<T, std::multiplies<>>}};

/// Of unsigned elements, whatever the sign of those of the program.
template <typename T>
constexpr named_loop logic[]{
    {"bitwise and", combine<T, std::bit_and<>>}, {"bitwise or", combine<T, std::bit_or<>>},
    {"bitwise xor", combine<T, std::bit_xor<>>}, {"and", combine<T, std::logical_and<>>},
    {"or", combine<T, std::logical_or<>>},       {"xor", combine<T, exactly_one>}};

element_loop find_loop(std::span<const named_loop> loops, std::string_view operation) {
  const auto found = std::ranges::find(loops, operation, &named_loop::first);
  return found == loops.end() ? nullptr : found->second;
}

template <typename T>
element_loop of_integers(std::string_view operation) {
  const element_loop logical = find_loop(logic<T>, operation);
  if constexpr (sizeof(T) >= sizeof(int)) // shorter ones would be combined as signed integers
    return logical ? logical : find_loop(arithmetic<T>, operation);
  return logical;
}

} // namespace

element_loop loop_over_elements(std::string_view operation, bool floating, std::size_t bytes) {
  if (floating)
    return bytes == sizeof(float)    ? find_loop(arithmetic<float>, operation)
           : bytes == sizeof(double) ? find_loop(arithmetic<double>, operation)
                                     : nullptr;
  switch (bytes) {
  case 1:
    return of_integers<std::uint8_t>(operation);
  case 2:
    return of_integers<std::uint16_t>(operation);
  case 4:
    return of_integers<std::uint32_t>(operation);
  case 8:
    return of_integers<std::uint64_t>(operation);
  default:
    return nullptr;
  }
}

} // namespace tacit::runtime
