#include "runtime/executor/shapes.h"

namespace tacit::runtime {

namespace {

tasks::coordinate signed_of(std::size_t n) {
  return static_cast<tasks::coordinate>(n);
}

/// What a functor of the program answers. It is not clamped: what reaches beyond the buffer is an error of the program.
tasks::mapper called(const detail::user_mapper& function, int kernel_dims) {
  return tasks::from_function("user", [function, kernel_dims](const tasks::box& chunk,
                                                              const tasks::box& global, const tasks::range&) {
    detail::extents size;
    for (int d = 0; d < tasks::dimensions; ++d)
      size[static_cast<std::size_t>(d)] = static_cast<std::size_t>(global[d].length());
    std::vector<tasks::box> boxes;
    for (const detail::index_box& b : function(kernel_dims, to_index_box(chunk), size))
      if (const tasks::box mapped = to_box(b); !mapped.empty())
        boxes.push_back(mapped);
    return tasks::region(std::move(boxes));
  });
}

/// A dimension that neither the kernel nor the buffer has follows itself, as in one_to_one.
int kernel_dimension(std::size_t named, int of_buffer, int kernel_dims) {
  if (named != detail::no_dimension)
    return static_cast<int>(named);
  return of_buffer < kernel_dims ? tasks::no_dimension : of_buffer;
}

} // namespace

tasks::box to_box(const detail::index_box& from) {
  return tasks::box_of(
      tasks::point{signed_of(from.from[0]), signed_of(from.from[1]), signed_of(from.from[2])},
      tasks::point{signed_of(from.to[0]), signed_of(from.to[1]), signed_of(from.to[2])});
}

detail::index_box to_index_box(const tasks::box& from) {
  detail::index_box made;
  for (int d = 0; d < tasks::dimensions; ++d) {
    made.from[static_cast<std::size_t>(d)] = static_cast<std::size_t>(from[d].begin);
    made.to[static_cast<std::size_t>(d)] = static_cast<std::size_t>(from[d].end);
  }
  return made;
}

tasks::range to_range(const detail::extents& from) {
  return {{signed_of(from[0]), signed_of(from[1]), signed_of(from[2])}};
}

tasks::access_mode to_mode(access_mode from) {
  switch (from) {
  case access_mode::read:
    return tasks::access_mode::read;
  case access_mode::write:
    return tasks::access_mode::write;
  case access_mode::read_write:
    return tasks::access_mode::read_write;
  case access_mode::discard_write:
  case access_mode::discard_read_write:
    return tasks::access_mode::discard_write;
  }
  return tasks::access_mode::read_write;
}

tasks::mapper to_mapper(const detail::mapper& from, int kernel_dims) {
  const auto& n = from.numbers;
  const tasks::point border{signed_of(n[0]), signed_of(n[1]), signed_of(n[2])};
  switch (from.kind) {
  case detail::mapper_kind::one_to_one:
    return tasks::one_to_one();
  case detail::mapper_kind::all:
    return tasks::all();
  case detail::mapper_kind::fixed:
    return tasks::fixed(to_box(from.region));
  case detail::mapper_kind::slice:
    return tasks::slice(static_cast<int>(n[0]));
  case detail::mapper_kind::neighborhood:
    return tasks::neighborhood(border, tasks::neighborhood_shape::bounding_box);
  case detail::mapper_kind::neighborhood_along_axes:
    return tasks::neighborhood(border, tasks::neighborhood_shape::along_axes);
  case detail::mapper_kind::transposed:
    return tasks::transposed({kernel_dimension(n[0], 0, kernel_dims), kernel_dimension(n[1], 1, kernel_dims),
                              kernel_dimension(n[2], 2, kernel_dims)});
  case detail::mapper_kind::even_split:
    return tasks::even_split(signed_of(n[0]));
  case detail::mapper_kind::user:
    break;
  }
  return called(from.user, kernel_dims);
}

} // namespace tacit::runtime
