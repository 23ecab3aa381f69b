#include "runtime/mpi/element_loops.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

namespace tacit::runtime {
namespace {

/// One after the other.
template <typename T, typename Operator>
void combine_each(const std::byte* from, std::byte* into, std::size_t count) {
  for (; count > 0; --count, from += sizeof(T), into += sizeof(T)) {
    T a, b;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, into, sizeof b);
    b = static_cast<T>(Operator()(a, b));
    std::memcpy(into, &b, sizeof b);
  }
}

/// By vectors of the length of a register, two at a time: of four GCC 12 keeps a part in memory, which takes three times as long (by hand, no file).
template <typename T, typename Operator>
void combine(const std::byte* from, std::byte* into, std::size_t count) {
  using vector [[gnu::vector_size(16)]] = T;
  constexpr std::size_t vectors = 2, together = vectors * sizeof(vector) / sizeof(T);
  for (; count >= together; count -= together) {
    vector a[vectors], b[vectors];
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, into, sizeof b);
    for (std::size_t i = 0; i < vectors; ++i)
      b[i] = Operator()(a[i], b[i]);
    std::memcpy(into, &b, sizeof b);
    from += sizeof a;
    into += sizeof b;
  }
  combine_each<T, Operator>(from, into, count);
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
    {"bitwise xor", combine<T, std::bit_xor<>>}, {"and", combine_each<T, std::logical_and<>>},
    {"or", combine_each<T, std::logical_or<>>},  {"xor", combine_each<T, exactly_one>}};

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
