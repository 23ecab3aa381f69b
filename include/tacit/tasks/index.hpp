// Index spaces of one to three dimensions: id, range, nd_range, subrange, chunk; and what a kernel is told of its place in them:
// item, nd_item, group. The slowest dimension comes first, as in C arrays. Zero dimensions are one element.
#pragma once

#include <tacit/tasks/library.hpp>

#include <cstddef>
#include <type_traits>

namespace tacit::detail {

/// What id and range share: numbers, one a dimension, with arithmetic per dimension.
template <typename Self, int Dims>
class coordinates {
  static_assert(Dims >= 0 && Dims <= 3, "index spaces have up to three dimensions");

public:
  static constexpr int dimensions = Dims;

  constexpr coordinates() = default;
  template <typename... Rest, typename = std::enable_if_t<sizeof...(Rest) + 1 == Dims &&
                                                          (... && std::is_convertible_v<Rest, std::size_t>)>>
  constexpr coordinates(std::size_t first, Rest... rest)
      : values_{first, static_cast<std::size_t>(rest)...} {}

  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }
  constexpr std::size_t& operator[](int dimension) { return values_[dimension]; }
  constexpr std::size_t get(int dimension) const { return values_[dimension]; }

  friend constexpr bool operator==(const Self& a, const Self& b) {
    for (int d = 0; d < Dims; ++d)
      if (a[d] != b[d])
        return false;
    return true;
  }

#define TACIT_COORDINATE_OPERATOR(op)                                                                        \
  friend constexpr Self& operator op##=(Self & a, const Self & b) {                                          \
    for (int d = 0; d < Dims; ++d)                                                                           \
      a[d] op## = b[d];                                                                                      \
    return a;                                                                                                \
  }                                                                                                          \
  friend constexpr Self& operator op##=(Self & a, std::size_t b) {                                           \
    for (int d = 0; d < Dims; ++d)                                                                           \
      a[d] op## = b;                                                                                         \
    return a;                                                                                                \
  }                                                                                                          \
  friend constexpr Self operator op(Self a, const Self& b) { return a op## = b; }                            \
  friend constexpr Self operator op(Self a, std::size_t b) { return a op## = b; }                            \
  friend constexpr Self operator op(std::size_t a, const Self& b) {                                          \
    Self result;                                                                                             \
    for (int d = 0; d < Dims; ++d)                                                                           \
      result[d] = a op b[d];                                                                                 \
    return result;                                                                                           \
  }
  TACIT_COORDINATE_OPERATOR(+)
  TACIT_COORDINATE_OPERATOR(-)
  TACIT_COORDINATE_OPERATOR(*)
  TACIT_COORDINATE_OPERATOR(/)
  TACIT_COORDINATE_OPERATOR(%)
#undef TACIT_COORDINATE_OPERATOR

  template <typename Stream>
    requires requires(Stream& out) { out << "text" << std::size_t(); }
  friend Stream& operator<<(Stream& out, const Self& a) {
    out << "[";
    for (int d = 0; d < Dims; ++d)
      out << (d ? "," : "") << a[d];
    out << "]";
    return out;
  }

private:
  std::size_t values_[Dims > 0 ? Dims : 1] = {};
};

} // namespace tacit::detail

namespace tacit {

/// How many elements there are in each dimension.
template <int Dims>
class range : public detail::coordinates<range<Dims>, Dims> {
public:
  using detail::coordinates<range<Dims>, Dims>::coordinates;
  constexpr range() = default;
  constexpr std::size_t size() const {
    std::size_t all = 1;
    for (int d = 0; d < Dims; ++d)
      all *= (*this)[d];
    return all;
  }
};
range() -> range<0>;
range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

/// Which element it is.
template <int Dims>
class id : public detail::coordinates<id<Dims>, Dims> {
public:
  using detail::coordinates<id<Dims>, Dims>::coordinates;
  constexpr id() = default;
  constexpr id(const range<Dims>& from) {
    for (int d = 0; d < Dims; ++d)
      (*this)[d] = from[d];
  }
};
id() -> id<0>;
id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

template <int Dims>
struct chunk;

/// A box of indices.
template <int Dims>
struct subrange {
  static constexpr int dimensions = Dims;
  id<Dims> offset;
  tacit::range<Dims> range;

  constexpr subrange() = default;
  constexpr subrange(const id<Dims>& offset_, const tacit::range<Dims>& range_)
      : offset(offset_), range(range_) {}
  constexpr subrange(const chunk<Dims>& from);
  friend constexpr bool operator==(const subrange&, const subrange&) = default;
  template <typename Stream>
    requires requires(Stream& out) { out << "text" << std::size_t(); }
  friend Stream& operator<<(Stream& out, const subrange& a) {
    out << a.offset << "+" << a.range;
    return out;
  }
};

/// The part of a kernel's index space that one device gets; what a range mapper maps.
template <int Dims>
struct chunk {
  static constexpr int dimensions = Dims;
  id<Dims> offset;
  tacit::range<Dims> range;
  tacit::range<Dims> global_size; ///< of the whole kernel

  constexpr chunk() = default;
  constexpr chunk(const id<Dims>& offset_, const tacit::range<Dims>& range_,
                  const tacit::range<Dims>& global_size_)
      : offset(offset_), range(range_), global_size(global_size_) {}
  friend constexpr bool operator==(const chunk&, const chunk&) = default;
};

template <int Dims>
constexpr subrange<Dims>::subrange(const chunk<Dims>& from) : offset(from.offset), range(from.range) {}

/// An index space that consists of work groups: their items share local memory and meet at barriers.
template <int Dims>
class nd_range {
public:
  /// Throws std::invalid_argument if the groups do not fill the range.
  nd_range(const range<Dims>& global, const range<Dims>& local, const id<Dims>& offset = {})
      : global_(global), local_(local), offset_(offset) {
    for (int d = 0; d < Dims; ++d)
      if (local[d] == 0 || global[d] % local[d] != 0)
        throw std::invalid_argument("nd_range: the global range is no multiple of the local range");
  }
  const range<Dims>& get_global_range() const { return global_; }
  const range<Dims>& get_local_range() const { return local_; }
  range<Dims> get_group_range() const { return global_ / local_; }
  const id<Dims>& get_offset() const { return offset_; }
  friend bool operator==(const nd_range&, const nd_range&) = default;

private:
  range<Dims> global_, local_;
  id<Dims> offset_;
};
nd_range(range<1>, range<1>) -> nd_range<1>;
nd_range(range<2>, range<2>) -> nd_range<2>;
nd_range(range<3>, range<3>) -> nd_range<3>;
nd_range(range<1>, range<1>, id<1>) -> nd_range<1>;
nd_range(range<2>, range<2>, id<2>) -> nd_range<2>;
nd_range(range<3>, range<3>, id<3>) -> nd_range<3>;

} // namespace tacit

namespace tacit::detail {

template <int Dims>
constexpr std::size_t linear_index(const range<Dims>& in, const id<Dims>& at) {
  std::size_t index = 0;
  for (int d = 0; d < Dims; ++d)
    index = index * in[d] + at[d];
  return index;
}

/// Missing dimensions get `missing`.
template <typename Coordinates>
constexpr extents widen(const Coordinates& from, std::size_t missing) {
  extents all{missing, missing, missing};
  for (int d = 0; d < Coordinates::dimensions; ++d)
    all[d] = from[d];
  return all;
}

template <typename Coordinates>
constexpr Coordinates narrow(const extents& from) {
  Coordinates all;
  for (int d = 0; d < Coordinates::dimensions; ++d)
    all[d] = from[d];
  return all;
}

template <int Dims>
constexpr index_box box_of(const id<Dims>& offset, const range<Dims>& size) {
  return {widen(offset, 0), widen(id<Dims>(offset + id<Dims>(size)), 1)};
}

template <int Dims>
constexpr subrange<Dims> subrange_of(const index_box& box) {
  subrange<Dims> all;
  for (int d = 0; d < Dims; ++d) {
    all.offset[d] = box.from[d];
    all.range[d] = box.to[d] > box.from[d] ? box.to[d] - box.from[d] : 0;
  }
  return all;
}

} // namespace tacit::detail

namespace tacit {

/// One index of a kernel's range.
template <int Dims = 1>
class item {
public:
  constexpr item(const id<Dims>& at, const range<Dims>& all, const id<Dims>& offset)
      : at_(at), offset_(offset), all_(all) {}
  constexpr id<Dims> get_id() const { return at_; }
  constexpr std::size_t get_id(int dimension) const { return at_[dimension]; }
  constexpr operator id<Dims>() const { return at_; }
  constexpr std::size_t operator[](int dimension) const { return at_[dimension]; }
  /// Of the whole kernel, on all ranks.
  constexpr range<Dims> get_range() const { return all_; }
  constexpr std::size_t get_range(int dimension) const { return all_[dimension]; }
  constexpr id<Dims> get_offset() const { return offset_; }
  constexpr std::size_t get_linear_id() const { return detail::linear_index(all_, at_ - offset_); }

private:
  id<Dims> at_, offset_;
  range<Dims> all_;
};

/// A work group, as one of its items sees it.
template <int Dims = 1>
class group {
public:
  static constexpr int dimensions = Dims;
  group(const id<Dims>& at, const range<Dims>& groups, const id<Dims>& local_at, const range<Dims>& local,
        detail::group_runner* runner)
      : at_(at), local_at_(local_at), groups_(groups), local_(local), runner_(runner) {}
  id<Dims> get_group_id() const { return at_; }
  std::size_t get_group_id(int dimension) const { return at_[dimension]; }
  std::size_t operator[](int dimension) const { return at_[dimension]; }
  range<Dims> get_group_range() const { return groups_; }
  std::size_t get_group_range(int dimension) const { return groups_[dimension]; }
  id<Dims> get_local_id() const { return local_at_; }
  std::size_t get_local_id(int dimension) const { return local_at_[dimension]; }
  range<Dims> get_local_range() const { return local_; }
  std::size_t get_local_range(int dimension) const { return local_[dimension]; }
  std::size_t get_group_linear_id() const { return detail::linear_index(groups_, at_); }
  std::size_t get_local_linear_id() const { return detail::linear_index(local_, local_at_); }
  std::size_t get_group_linear_range() const { return groups_.size(); }
  std::size_t get_local_linear_range() const { return local_.size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  template <int D>
  friend void group_barrier(const group<D>& all);

private:
  id<Dims> at_, local_at_;
  range<Dims> groups_, local_;
  detail::group_runner* runner_;
};

/// Returns when all items of the work group have called it; each then sees what the others have written to local memory.
template <int Dims>
void group_barrier(const group<Dims>& all) {
  if (all.get_local_linear_range() > 1)
    all.runner_->barrier();
}

/// One index of an nd-range.
template <int Dims = 1>
class nd_item {
public:
  nd_item(const id<Dims>& at, const nd_range<Dims>& all, const group<Dims>& of)
      : at_(at), all_(&all), group_(of) {}
  id<Dims> get_global_id() const { return at_; }
  std::size_t get_global_id(int dimension) const { return at_[dimension]; }
  std::size_t get_global_linear_id() const {
    return detail::linear_index(all_->get_global_range(), at_ - all_->get_offset());
  }
  id<Dims> get_local_id() const { return group_.get_local_id(); }
  std::size_t get_local_id(int dimension) const { return group_.get_local_id(dimension); }
  std::size_t get_local_linear_id() const { return group_.get_local_linear_id(); }
  const group<Dims>& get_group() const { return group_; }
  std::size_t get_group(int dimension) const { return group_.get_group_id(dimension); }
  std::size_t get_group_linear_id() const { return group_.get_group_linear_id(); }
  range<Dims> get_group_range() const { return group_.get_group_range(); }
  std::size_t get_group_range(int dimension) const { return group_.get_group_range(dimension); }
  range<Dims> get_global_range() const { return all_->get_global_range(); }
  std::size_t get_global_range(int dimension) const { return all_->get_global_range()[dimension]; }
  range<Dims> get_local_range() const { return group_.get_local_range(); }
  std::size_t get_local_range(int dimension) const { return group_.get_local_range(dimension); }
  id<Dims> get_offset() const { return all_->get_offset(); }
  const nd_range<Dims>& get_nd_range() const { return *all_; }

private:
  id<Dims> at_;
  const nd_range<Dims>* all_;
  group<Dims> group_;
};

} // namespace tacit
