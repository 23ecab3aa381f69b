// Reductions: every item contributes to a buffer's elements by an operator.
//
//   auto sum = tacit::reduction(total, h, std::plus<double>());
//   h.parallel_for(range, sum, [=](tacit::item<1> i, auto& sum) { sum += x[i]; });
//
// A buffer of one element is reduced by `r.combine(v)` or `r += v`; one of several by `r[k].combine(v)`. The contributions are
// combined in an order that the range, the number of ranks and the number of devices say, never the number of threads or their
// speed: a run gives the same bits every time.
#pragma once

#include <tacit/tasks/buffer.hpp>

#include <algorithm>
#include <functional>
#include <limits>

namespace tacit {

template <typename T = void>
struct minimum {
  constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <typename T = void>
struct maximum {
  constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct minimum<void> {
  template <typename T>
  constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
template <>
struct maximum<void> {
  template <typename T>
  constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

/// The value that changes nothing; specialise it for operators of your own, or give reduction() the identity.
template <typename Operator, typename T>
struct known_identity {};

#define TACIT_IDENTITY(operator_name, what)                                                                  \
  template <typename T>                                                                                      \
  struct known_identity<operator_name<T>, T> {                                                               \
    static constexpr T value = what;                                                                         \
  };                                                                                                         \
  template <typename T>                                                                                      \
  struct known_identity<operator_name<void>, T> : known_identity<operator_name<T>, T> {};
TACIT_IDENTITY(std::plus, T(0))
TACIT_IDENTITY(std::multiplies, T(1))
TACIT_IDENTITY(std::bit_and, static_cast<T>(~T(0)))
TACIT_IDENTITY(std::bit_or, T(0))
TACIT_IDENTITY(std::bit_xor, T(0))
TACIT_IDENTITY(std::logical_and, T(true))
TACIT_IDENTITY(std::logical_or, T(false))
TACIT_IDENTITY(minimum, (std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                              : std::numeric_limits<T>::max()))
TACIT_IDENTITY(maximum, (std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                              : std::numeric_limits<T>::lowest()))
#undef TACIT_IDENTITY

/// What a kernel contributes through.
template <typename T, typename Operator>
class reducer {
public:
  using value_type = T;
  reducer(T* elements, std::size_t count, const Operator& op)
      : op_(op), elements_(elements), count_(count), first_(*elements) {}
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;
  /// A single element is kept outside memory while the kernel runs.
  ~reducer() {
    if (count_ == 1)
      *elements_ = first_;
  }
  void combine(const T& value) { first_ = op_(first_, value); }

  class element {
  public:
    element(T& at, const Operator& op) : at_(at), op_(op) {}
    void combine(const T& value) { at_ = op_(at_, value); }
    element& operator+=(const T& value)
      requires std::is_same_v<Operator, std::plus<T>> || std::is_same_v<Operator, std::plus<>>
    {
      combine(value);
      return *this;
    }

  private:
    T& at_;
    const Operator& op_;
  };
  element operator[](std::size_t index) { return {count_ == 1 ? first_ : elements_[index], op_}; }

  reducer& operator+=(const T& value)
    requires std::is_same_v<Operator, std::plus<T>> || std::is_same_v<Operator, std::plus<>>
  {
    combine(value);
    return *this;
  }
  reducer& operator*=(const T& value)
    requires std::is_same_v<Operator, std::multiplies<T>> || std::is_same_v<Operator, std::multiplies<>>
  {
    combine(value);
    return *this;
  }

private:
  Operator op_;
  T* elements_;
  std::size_t count_;
  T first_;
};

namespace detail {

template <typename T, typename Operator>
struct reduction_of {
  using reducer_type = reducer<T, Operator>;
  std::size_t elements;
  Operator op;
};

template <typename Argument>
struct is_reduction : std::false_type {};
template <typename T, typename Operator>
struct is_reduction<reduction_of<T, Operator>> : std::true_type {};

void add_reduction(handler& to, reduction&& made);

} // namespace detail

/// Property of a reduction: what the buffer holds before does not count.
struct initialize_to_identity {};

/// Makes a task reduce into a buffer. Without initialize_to_identity what the buffer holds before counts, once.
template <typename T, int Dims, typename Operator>
auto reduction(const buffer<T, Dims>& into, handler& in, const T& identity, Operator op,
               bool include_current) {
  detail::reduction made;
  made.buffer = into.number();
  made.include_current = include_current;
  made.elements = into.size();
  made.element_bytes = sizeof(T);
  made.fill_with_identity = [identity](void* at, std::size_t elements) {
    std::fill_n(static_cast<T*>(at), elements, identity);
  };
  made.combine = [op](void* into_, const void* from, std::size_t elements) {
    for (std::size_t i = 0; i < elements; ++i)
      static_cast<T*>(into_)[i] = op(static_cast<T*>(into_)[i], static_cast<const T*>(from)[i]);
  };
  detail::add_reduction(in, std::move(made));
  return detail::reduction_of<T, Operator>{into.size(), op};
}
template <typename T, int Dims, typename Operator>
auto reduction(const buffer<T, Dims>& into, handler& in, Operator op) {
  return reduction(into, in, known_identity<Operator, T>::value, op, true);
}
template <typename T, int Dims, typename Operator>
auto reduction(const buffer<T, Dims>& into, handler& in, Operator op, initialize_to_identity) {
  return reduction(into, in, known_identity<Operator, T>::value, op, false);
}
template <typename T, int Dims, typename Operator>
auto reduction(const buffer<T, Dims>& into, handler& in, const T& identity, Operator op) {
  return reduction(into, in, identity, op, true);
}
template <typename T, int Dims, typename Operator>
auto reduction(const buffer<T, Dims>& into, handler& in, const T& identity, Operator op,
               initialize_to_identity) {
  return reduction(into, in, identity, op, false);
}

} // namespace tacit
