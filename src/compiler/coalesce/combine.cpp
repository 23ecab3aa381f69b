// Exact for integers: MPI libraries wrap on overflow, so that sums and products are those of a ring; minimum, maximum and bits
// are lattices; logical operators give 0 or 1 whatever nonzero value came in. MPI_REPLACE keeps the later value.
//
// Minimum and maximum of floating-point numbers are exact, too, but for NaN and for zeros of both signs: there the result depends
// on which of the two operands a library keeps, so that such a pair is not combined. Neither are numbers without sign on both
// sides of the middle of their range: MPICH 4.0.2 and Open MPI 4.1.4 compare some of these types as if they had a sign.
#include "compiler/coalesce/combine.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace tacit::compiler {
namespace {

template <typename T, typename F>
bool apply(void* collected, const void* value, F combine) {
  T a, b;
  std::memcpy(&a, collected, sizeof a);
  std::memcpy(&b, value, sizeof b);
  a = static_cast<T>(combine(a, b));
  std::memcpy(collected, &a, sizeof a);
  return true;
}

template <typename T>
bool is_exact(const void* collected, const void* value) {
  if constexpr (std::is_floating_point_v<T>) {
    T a, b;
    std::memcpy(&a, collected, sizeof a);
    std::memcpy(&b, value, sizeof b);
    // Of equal values zeros may differ in their sign. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return a < b || b < a || (a == b && std::memcmp(&a, &b, sizeof a) == 0);
  } else if constexpr (std::is_unsigned_v<T>) {
    T a, b;
    std::memcpy(&a, collected, sizeof a);
    std::memcpy(&b, value, sizeof b);
    return (a ^ b) <= std::numeric_limits<T>::max() / 2;
  }
  return true;
}

template <typename T>
bool minimum(void* collected, const void* value) {
  return is_exact<T>(collected, value) && apply<T>(collected, value, [](T a, T b) { return b < a ? b : a; });
}
template <typename T>
bool maximum(void* collected, const void* value) {
  return is_exact<T>(collected, value) && apply<T>(collected, value, [](T a, T b) { return a < b ? b : a; });
}
template <typename T>
bool sum(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return std::uint64_t{a} + b; });
}
template <typename T>
bool product(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return std::uint64_t{a} * b; });
}
template <typename T>
bool bit_and(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return a & b; });
}
template <typename T>
bool bit_or(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return a | b; });
}
template <typename T>
bool bit_xor(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return a ^ b; });
}
template <typename T>
bool logical_and(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return a && b; });
}
template <typename T>
bool logical_or(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return a || b; });
}
template <typename T>
bool logical_xor(void* collected, const void* value) {
  return apply<T>(collected, value, [](T a, T b) { return !a != !b; });
}
template <std::size_t Bytes>
bool replace(void* collected, const void* value) {
  std::memcpy(collected, value, Bytes);
  return true;
}

/// U: without sign, of the same size as T.
template <typename T, typename U>
combiner of_type(MPI_Op op, const element_type& element) {
  if (op == MPI_MIN)
    return minimum<T>;
  if (op == MPI_MAX)
    return maximum<T>;
  if (element.kind == arithmetic::real)
    return nullptr;
  const struct {
    MPI_Op op;
    combiner combine;
  } known[] = {{MPI_SUM, sum<U>},        {MPI_PROD, product<U>},    {MPI_BAND, bit_and<U>},
               {MPI_BOR, bit_or<U>},     {MPI_BXOR, bit_xor<U>},    {MPI_LAND, logical_and<U>},
               {MPI_LOR, logical_or<U>}, {MPI_LXOR, logical_xor<U>}};
  for (const auto& row : known)
    if (row.op == op)
      return row.combine;
  return nullptr;
}

template <typename Signed, typename Unsigned>
combiner of_integer(MPI_Op op, const element_type& element) {
  return element.kind == arithmetic::sign ? of_type<Signed, Unsigned>(op, element)
                                          : of_type<Unsigned, Unsigned>(op, element);
}

combiner replacer_of(std::size_t bytes) {
  switch (bytes) {
  case 1:
    return replace<1>;
  case 2:
    return replace<2>;
  case 4:
    return replace<4>;
  case 8:
    return replace<8>;
  case 16:
    return replace<16>;
  default:
    return nullptr;
  }
}

} // namespace

combiner combiner_of(MPI_Op op, const element_type& element) {
  if (op == MPI_REPLACE)
    return replacer_of(element.extent);
  switch (element.kind) {
  case arithmetic::real:
    return element.extent == sizeof(float) ? of_type<float, std::uint32_t>(op, element)
                                           : of_type<double, std::uint64_t>(op, element);
  case arithmetic::sign:
  case arithmetic::no_sign:
    switch (element.extent) {
    case 1:
      return of_integer<std::int8_t, std::uint8_t>(op, element);
    case 2:
      return of_integer<std::int16_t, std::uint16_t>(op, element);
    case 4:
      return of_integer<std::int32_t, std::uint32_t>(op, element);
    case 8:
      return of_integer<std::int64_t, std::uint64_t>(op, element);
    default:
      return nullptr;
    }
  default:
    return nullptr;
  }
}

} // namespace tacit::compiler
