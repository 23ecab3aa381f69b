// Celerity's names for tacit's tasks: a program written for Celerity compiles with its include and its namespaces changed,
//
//   #include <tacit/celerity.hpp>       // instead of <celerity.h>
//   namespace celerity = tacit::celerity;
//   namespace sycl = tacit::sycl;       // vectors, mathematics and operators for host threads; no SYCL compiler is needed
//
// Left out: SYCL devices and selectors, sub-groups and group algorithms except barriers, asynchronous work-group copies, and what
// Celerity has deprecated.
#pragma once

#include <tacit/tasks.hpp>

// What programs find through Celerity's header.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
#if __has_include(<fmt/format.h>)
#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY // such programs count on Celerity to link fmt
#endif
#include <fmt/format.h>
#endif

namespace tacit::celerity {

using tacit::access_mode;
using tacit::accessor;
using tacit::buffer;
using tacit::buffer_allocation_window;
using tacit::buffer_snapshot;
using tacit::chunk;
using tacit::group;
using tacit::group_barrier;
using tacit::handler;
using tacit::id;
using tacit::item;
using tacit::local_accessor;
using tacit::nd_item;
using tacit::nd_range;
using tacit::neighborhood_shape;
using tacit::no_init;
using tacit::on_master_node;
using tacit::once;
using tacit::partition;
using tacit::queue;
using tacit::range;
using tacit::read_only;
using tacit::read_write;
using tacit::reduction;
using tacit::subrange;
using tacit::write_only;

// The kind of a task says where its accessors' memory is, so that these need not.
inline constexpr auto read_only_host_task = tacit::read_only;
inline constexpr auto write_only_host_task = tacit::write_only;
inline constexpr auto read_write_host_task = tacit::read_write;

enum class memory_scope { work_item, sub_group, work_group, device };
inline constexpr auto memory_scope_work_item = memory_scope::work_item;
inline constexpr auto memory_scope_sub_group = memory_scope::sub_group;
inline constexpr auto memory_scope_work_group = memory_scope::work_group;
inline constexpr auto memory_scope_device = memory_scope::device;
template <int Dims>
void group_barrier(const group<Dims>& all, memory_scope) {
  tacit::group_barrier(all);
}

namespace access {
using tacit::access::all;
using tacit::access::fixed;
using tacit::access::neighborhood;
using tacit::access::one_to_one;
using tacit::access::slice;
} // namespace access

namespace property {
using no_init = tacit::no_init_tag;
namespace reduction {
using tacit::initialize_to_identity;
}
} // namespace property

namespace experimental {
using tacit::barrier;
using tacit::collective;
using tacit::collective_group;
using tacit::collective_partition;
using tacit::host_object;
using tacit::side_effect;
template <int Dims>
void constrain_split(handler& of, const range<Dims>& multiple) {
  of.constrain_split(multiple);
}
namespace access {
using tacit::access::even_split;
}
namespace hints {
struct split_1d {};
struct split_2d {};
} // namespace hints
inline void hint(handler&, const hints::split_1d&) {}
inline void hint(handler& of, const hints::split_2d&) {
  of.split_2d();
}
} // namespace experimental

namespace debug {
inline void set_task_name(handler& of, const std::string& name) {
  of.set_name(name);
}
template <typename T, int Dims>
void set_buffer_name(const buffer<T, Dims>& of, const std::string& name) {
  of.set_name(name);
}
template <typename T, int Dims>
std::string get_buffer_name(const buffer<T, Dims>& of) {
  return of.get_name();
}
} // namespace debug

namespace detail {
/// `format` with each {…} replaced by the next value.
template <typename... Values>
std::string spelled(std::string_view format, const Values&... values) {
  std::ostringstream out;
  [[maybe_unused]] const auto next = [&](const auto& value) {
    const auto from = format.find('{'), to = format.find('}', from);
    if (to == format.npos)
      return;
    out << format.substr(0, from) << value;
    format.remove_prefix(to + 1);
  };
  (next(values), ...);
  out << format;
  return out.str();
}
template <typename... Values>
void log(const char* level, std::string_view format, const Values&... values) {
  std::fprintf(stderr, "[%s] rank %d: %s\n", level, tacit::detail::rank(),
               spelled(format, values...).c_str());
}
} // namespace detail

} // namespace tacit::celerity

#define CELERITY_TRACE(...) (void)0
#define CELERITY_DEBUG(...) (void)0
#define CELERITY_INFO(...) ::tacit::celerity::detail::log("info", __VA_ARGS__)
#define CELERITY_WARN(...) ::tacit::celerity::detail::log("warning", __VA_ARGS__)
#define CELERITY_ERROR(...) ::tacit::celerity::detail::log("error", __VA_ARGS__)
#define CELERITY_CRITICAL(...) ::tacit::celerity::detail::log("critical", __VA_ARGS__)

namespace tacit::sycl {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::logical_and;
using std::logical_or;
using std::multiplies;
using std::plus;
using tacit::known_identity;
using tacit::maximum;
using tacit::minimum;

/// N numbers with arithmetic per element.
template <typename T, int N>
class vec {
public:
  using element_type = T;
  constexpr vec() = default;
  explicit constexpr vec(const T& all) {
    for (T& e : values_)
      e = all;
  }
  template <typename... Values>
    requires(sizeof...(Values) == N && N > 1 && (... && std::is_convertible_v<Values, T>))
  constexpr vec(const Values&... values) : values_{static_cast<T>(values)...} {}

  static constexpr int size() { return N; }
  constexpr T& operator[](int i) { return values_[i]; }
  constexpr const T& operator[](int i) const { return values_[i]; }

#define TACIT_VEC_ELEMENT(name, index)                                                                       \
  constexpr T& name()                                                                                        \
    requires(N > index)                                                                                      \
  {                                                                                                          \
    return values_[index];                                                                                   \
  }                                                                                                          \
  constexpr const T& name() const                                                                            \
    requires(N > index)                                                                                      \
  {                                                                                                          \
    return values_[index];                                                                                   \
  }
  TACIT_VEC_ELEMENT(x, 0)
  TACIT_VEC_ELEMENT(y, 1)
  TACIT_VEC_ELEMENT(z, 2)
  TACIT_VEC_ELEMENT(w, 3)
  TACIT_VEC_ELEMENT(r, 0)
  TACIT_VEC_ELEMENT(g, 1)
  TACIT_VEC_ELEMENT(b, 2)
  TACIT_VEC_ELEMENT(a, 3)
#undef TACIT_VEC_ELEMENT

  template <typename To>
  constexpr vec<To, N> convert() const {
    vec<To, N> made;
    for (int i = 0; i < N; ++i)
      made[i] = static_cast<To>(values_[i]);
    return made;
  }

#define TACIT_VEC_OPERATOR(op)                                                                               \
  friend constexpr vec& operator op##=(vec & left, const vec & right) {                                      \
    for (int i = 0; i < N; ++i)                                                                              \
      left.values_[i] op## = right.values_[i];                                                               \
    return left;                                                                                             \
  }                                                                                                          \
  friend constexpr vec& operator op##=(vec & left, const T & right) { return left op## = vec(right); }       \
  friend constexpr vec operator op(vec left, const vec& right) { return left op## = right; }                 \
  friend constexpr vec operator op(vec left, const T& right) { return left op## = vec(right); }              \
  friend constexpr vec operator op(const T& left, const vec& right) {                                        \
    vec made(left);                                                                                          \
    return made op## = right;                                                                                \
  }
  TACIT_VEC_OPERATOR(+)
  TACIT_VEC_OPERATOR(-)
  TACIT_VEC_OPERATOR(*)
  TACIT_VEC_OPERATOR(/)
#undef TACIT_VEC_OPERATOR
  friend constexpr vec operator-(const vec& of) { return vec(T(0)) - of; }

private:
  T values_[N] = {};
};

#define TACIT_VEC_TYPES(name, type)                                                                          \
  using name##2 = vec<type, 2>;                                                                              \
  using name##3 = vec<type, 3>;                                                                              \
  using name##4 = vec<type, 4>;
TACIT_VEC_TYPES(float, float)
TACIT_VEC_TYPES(double, double)
TACIT_VEC_TYPES(int, int)
TACIT_VEC_TYPES(uint, unsigned)
TACIT_VEC_TYPES(char, signed char)
TACIT_VEC_TYPES(uchar, unsigned char)
#undef TACIT_VEC_TYPES

#define TACIT_VEC_FUNCTION(name)                                                                             \
  using std::name;                                                                                           \
  template <typename T, int N>                                                                               \
  vec<T, N> name(vec<T, N> of) {                                                                             \
    for (int i = 0; i < N; ++i)                                                                              \
      of[i] = std::name(of[i]);                                                                              \
    return of;                                                                                               \
  }
TACIT_VEC_FUNCTION(ceil)
TACIT_VEC_FUNCTION(cos)
TACIT_VEC_FUNCTION(exp)
TACIT_VEC_FUNCTION(fabs)
TACIT_VEC_FUNCTION(floor)
TACIT_VEC_FUNCTION(log)
TACIT_VEC_FUNCTION(round)
TACIT_VEC_FUNCTION(sin)
TACIT_VEC_FUNCTION(sqrt)
TACIT_VEC_FUNCTION(tan)
#undef TACIT_VEC_FUNCTION
using std::fma;
using std::fmax;
using std::fmin;
using std::fmod;
using std::pow;

template <typename T>
constexpr T min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <typename T>
constexpr T max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <typename T>
constexpr T clamp(const T& value, const T& least, const T& most) {
  return min(max(value, least), most);
}
template <typename T>
T rsqrt(const T& of) {
  return T(1) / std::sqrt(of);
}
template <typename T, int N>
constexpr T dot(const vec<T, N>& a, const vec<T, N>& b) {
  T sum = 0;
  for (int i = 0; i < N; ++i)
    sum += a[i] * b[i];
  return sum;
}
template <typename T, int N>
T length(const vec<T, N>& of) {
  return std::sqrt(dot(of, of));
}

} // namespace tacit::sycl
