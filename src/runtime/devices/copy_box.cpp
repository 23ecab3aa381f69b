#include "runtime/devices/backend.h"
#include "vocabulary/base/copy_memory.h"

namespace tacit::runtime {

namespace {

/// Bytes from the start of the allocation.
std::size_t offset_in(const detail::allocation& where, std::size_t i, std::size_t j, std::size_t k,
                      std::size_t element_bytes) {
  return (((i - where.offset[0]) * where.range[1] + (j - where.offset[1])) * where.range[2] +
          (k - where.offset[2])) *
         element_bytes;
}

bool has_whole_rows(const detail::allocation& where, const detail::index_box& box, std::size_t dimension) {
  return box.to[dimension] - box.from[dimension] == where.range[dimension];
}

} // namespace

void for_each_piece(
    const box_copy& what,
    const std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>& copy) {
  const auto& [from, to] = what.box;
  std::size_t count[3];
  for (std::size_t d = 0; d < 3; ++d) {
    if (to[d] <= from[d])
      return;
    count[d] = to[d] - from[d];
  }
  // Rows that follow each other on both sides are one piece.
  std::size_t piece = count[2] * what.element_bytes;
  std::size_t outer = count[0], inner = count[1];
  if (has_whole_rows(what.from, what.box, 2) && has_whole_rows(what.to, what.box, 2)) {
    piece *= inner, inner = 1;
    if (has_whole_rows(what.from, what.box, 1) && has_whole_rows(what.to, what.box, 1))
      piece *= outer, outer = 1;
  }
  for (std::size_t i = 0; i < outer; ++i)
    for (std::size_t j = 0; j < inner; ++j)
      copy(static_cast<std::byte*>(what.to.data) +
               offset_in(what.to, from[0] + i, from[1] + j, from[2], what.element_bytes),
           static_cast<const std::byte*>(what.from.data) +
               offset_in(what.from, from[0] + i, from[1] + j, from[2], what.element_bytes),
           piece);
}

void copy_box(const box_copy& what) {
  for_each_piece(
      what, [](std::byte* to, const std::byte* from, std::size_t bytes) { copy_memory(to, from, bytes); });
}

} // namespace tacit::runtime
