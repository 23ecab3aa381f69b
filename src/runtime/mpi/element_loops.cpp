#include "runtime/mpi/element_loops.h"

#include <array>
#include <cstring>
#include <functional>
#include <type_traits>

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

template <typename T>
element_loop arithmetic(std::string_view operation) {
  if (operation == "sum")
    return combine<T, std::plus<>>;
  if (operation == "product")
    return combine<T, std::multiplies<>>;
  return nullptr;
}

/// Of unsigned elements, which wrap around, whatever the sign of those of the program.
template <typename T>
element_loop of_integers(std::string_view operation) {
  if (operation == "bitwise and")
    return combine<T, std::bit_and<>>;
  if (operation == "bitwise or")
    return combine<T, std::bit_or<>>;
  if (operation == "bitwise xor")
    return combine<T, std::bit_xor<>>;
  if (operation == "and")
    return combine<T, std::logical_and<>>;
  if (operation == "or")
    return combine<T, std::logical_or<>>;
  if (operation == "xor")
    return combine<T, exactly_one>;
  return arithmetic<T>(operation);
}

} // namespace

element_loop loop_over_elements(std::string_view operation, bool floating, std::size_t bytes) {
  if (floating)
    return bytes == sizeof(float)    ? arithmetic<float>(operation)
           : bytes == sizeof(double) ? arithmetic<double>(operation)
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
