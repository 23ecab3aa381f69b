// Range mappers: which part of a buffer the items of a chunk access. Any function from a chunk to subranges may be one, if it maps
// the union of two chunks to the union of what it maps each to, and, where it writes, disjoint chunks to disjoint parts.
//
//   [](tacit::chunk<1> c) -> tacit::subrange<2> {…}
//   [](tacit::chunk<2> c, tacit::range<1> buffer) -> std::vector<tacit::subrange<1>> {…}
#pragma once

#include <tacit/tasks/index.hpp>

#include <utility>
#include <vector>

namespace tacit {

/// How a neighborhood reaches beyond the chunk: in each dimension alone ("+" in 2-D), or in all at once.
enum class neighborhood_shape { along_axes, bounding_box };

namespace access {

/// Item i accesses element i.
struct one_to_one {};

/// Every item accesses the whole buffer.
struct all {};

/// Every item accesses the same part.
template <int BufferDims>
struct fixed {
  fixed(const subrange<BufferDims>& part) : where(part) {}
  subrange<BufferDims> where;
};

/// Item i accesses element i and, in one dimension, all others: rows (slice<2>(1)), columns (slice<2>(0)).
template <int Dims>
struct slice {
  explicit slice(std::size_t dimension_) : dimension(dimension_) {
    if (dimension >= static_cast<std::size_t>(Dims))
      throw std::invalid_argument("slice: no such dimension");
  }
  std::size_t dimension;
};

/// Item i accesses the elements around i, for stencils.
template <int Dims>
struct neighborhood {
  explicit neighborhood(const range<Dims>& extent_,
                        neighborhood_shape shape_ = neighborhood_shape::bounding_box)
      : extent(extent_), shape(shape_) {}
  range<Dims> extent;
  neighborhood_shape shape;
};
neighborhood(range<1>) -> neighborhood<1>;
neighborhood(range<2>) -> neighborhood<2>;
neighborhood(range<3>) -> neighborhood<3>;
neighborhood(range<1>, neighborhood_shape) -> neighborhood<1>;
neighborhood(range<2>, neighborhood_shape) -> neighborhood<2>;
neighborhood(range<3>, neighborhood_shape) -> neighborhood<3>;

/// Dimension d of the buffer is dimension KernelDimension[d] of the kernel: transposed<1, 0> for matrices, transposed<1> for the
/// vector by which a kernel over a matrix multiplies. As many numbers as the buffer has dimensions.
template <int... KernelDimension>
struct transposed {
  static_assert(sizeof...(KernelDimension) >= 1 && sizeof...(KernelDimension) <= 3);
};

/// The chunks of a 1-D kernel (the ranks of a collective host task) share a buffer evenly along its slowest dimension, in
/// multiples of the granularity.
template <int BufferDims>
struct even_split {
  even_split() {
    for (int d = 0; d < BufferDims; ++d)
      granularity[d] = 1;
  }
  explicit even_split(const range<BufferDims>& granularity_) : granularity(granularity_) {}
  range<BufferDims> granularity;
};

} // namespace access

namespace detail {

inline mapper describe(const access::one_to_one&) {
  return {mapper_kind::one_to_one, {}, {}, {}};
}
inline mapper describe(const access::all&) {
  return {mapper_kind::all, {}, {}, {}};
}
template <int Dims>
mapper describe(const access::fixed<Dims>& from) {
  return {mapper_kind::fixed, {}, box_of(from.where.offset, from.where.range), {}};
}
template <int Dims>
mapper describe(const access::slice<Dims>& from) {
  return {mapper_kind::slice, {from.dimension, 0, 0}, {}, {}};
}
template <int Dims>
mapper describe(const access::neighborhood<Dims>& from) {
  const bool along_axes = from.shape == neighborhood_shape::along_axes;
  return {along_axes ? mapper_kind::neighborhood_along_axes : mapper_kind::neighborhood,
          widen(from.extent, 0),
          {},
          {}};
}
template <int... KernelDimension>
mapper describe(const access::transposed<KernelDimension...>&) {
  mapper made{mapper_kind::transposed, {no_dimension, no_dimension, no_dimension}, {}, {}};
  int d = 0;
  ((made.numbers[d++] = KernelDimension), ...);
  return made;
}
template <int Dims>
mapper describe(const access::even_split<Dims>& from) {
  return {mapper_kind::even_split, widen(from.granularity, 1), {}, {}};
}

template <int BufferDims>
void append(std::vector<index_box>& boxes, const subrange<BufferDims>& part) {
  boxes.push_back(box_of(part.offset, part.range));
}
template <int BufferDims>
void append(std::vector<index_box>& boxes, const std::vector<subrange<BufferDims>>& parts) {
  for (const auto& part : parts)
    append(boxes, part);
}

/// A function of the user, called with the dimensions that the kernel turns out to have.
template <int BufferDims, typename Function>
class called_mapper {
public:
  called_mapper(const Function& function, const range<BufferDims>& buffer)
      : function_(function), buffer_(buffer) {}
  std::vector<index_box> operator()(int kernel_dims, const index_box& part, const extents& global) const {
    switch (kernel_dims) {
    case 0:
      return with<0>(part, global);
    case 1:
      return with<1>(part, global);
    case 2:
      return with<2>(part, global);
    default:
      return with<3>(part, global);
    }
  }

private:
  template <int KernelDims>
  std::vector<index_box> with(const index_box& part, const extents& global) const {
    using chunk_type = chunk<KernelDims>;
    const auto where = subrange_of<KernelDims>(part);
    [[maybe_unused]] const chunk_type given{where.offset, where.range, narrow<range<KernelDims>>(global)};
    std::vector<index_box> boxes;
    if constexpr (std::is_invocable_v<const Function&, const chunk_type&, const range<BufferDims>&>)
      append<BufferDims>(boxes, function_(given, buffer_));
    else if constexpr (std::is_invocable_v<const Function&, const chunk_type&>)
      append<BufferDims>(boxes, function_(given));
    else
      throw task_error("range mapper: it cannot be called with the chunk of a kernel of " +
                       std::to_string(KernelDims) + " dimensions");
    return boxes;
  }

  Function function_;
  range<BufferDims> buffer_;
};

template <typename Mapper>
concept built_in_mapper = requires(const Mapper& m) { describe(m); };

/// Whether a mapper says as much as a buffer of so many dimensions needs: others could be meant in several ways.
template <int BufferDims, typename Mapper>
inline constexpr bool names_all_dimensions = true;
template <int BufferDims, int... KernelDimension>
inline constexpr bool names_all_dimensions<BufferDims, access::transposed<KernelDimension...>> =
    sizeof...(KernelDimension) == static_cast<std::size_t>(BufferDims);

template <int BufferDims, typename Mapper>
mapper make_mapper(const Mapper& from, const range<BufferDims>& buffer) {
  static_assert(names_all_dimensions<BufferDims, Mapper>,
                "access::transposed names a dimension of the kernel for each dimension of the buffer");
  if constexpr (built_in_mapper<Mapper>)
    return describe(from);
  else
    return {mapper_kind::user, {}, {}, called_mapper<BufferDims, std::decay_t<Mapper>>(from, buffer)};
}

} // namespace detail
} // namespace tacit
