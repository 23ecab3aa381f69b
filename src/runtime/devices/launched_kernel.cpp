#include "runtime/devices/launched_kernel.h"

#include "runtime/devices/work_groups.h"

#include <algorithm>
#include <utility>

namespace tacit::runtime {

namespace {
std::size_t length(const detail::index_box& box, std::size_t d) {
  return box.to[d] > box.from[d] ? box.to[d] - box.from[d] : 0;
}
} // namespace

std::size_t volume(const detail::index_box& box) {
  return length(box, 0) * length(box, 1) * length(box, 2);
}

blocks_of::blocks_of(const detail::index_box& box, std::size_t wanted) : box_(box) {
  for (std::size_t d = 0; d < 3; ++d) {
    cuts_[d] = std::clamp<std::size_t>(wanted, std::min<std::size_t>(1, length(box, d)), length(box, d));
    wanted = cuts_[d] ? (wanted + cuts_[d] - 1) / cuts_[d] : 0;
  }
}

detail::index_box blocks_of::operator[](std::size_t number) const {
  detail::index_box block;
  for (std::size_t d = 3; d-- > 0; number /= cuts_[d]) {
    const std::size_t part = number % cuts_[d];
    block.from[d] = box_.from[d] + length(box_, d) * part / cuts_[d];
    block.to[d] = box_.from[d] + length(box_, d) * (part + 1) / cuts_[d];
  }
  return block;
}

launched_kernel::launched_kernel(kernel_launch&& what, std::size_t threads)
    : what_(std::move(what)), blocks_(units(what_), block_count(threads)) {
  for (const auto& reduction : what_.what->reductions)
    partials_.emplace_back(blocks_.count() * reduction.elements * reduction.element_bytes);
}

void launched_kernel::run_block(std::size_t number) {
  const auto& reductions = what_.what->reductions;
  std::vector<void*> mine(reductions.size());
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    mine[r] = partial(r, number);
    reductions[r].fill_with_identity(mine[r], reductions[r].elements);
  }
  std::vector<std::max_align_t> local((what_.what->local_bytes + sizeof(std::max_align_t) - 1) /
                                      sizeof(std::max_align_t));
  detail::placement where{what_.accesses.data(), what_.accesses.size(),
                          reinterpret_cast<std::byte*>(local.data())};
  detail::kernel_call call;
  call.where = &where;
  call.items = blocks_[number];
  call.partials = mine.data();
  if (what_.what->grouped)
    call.groups = &work_groups::of_this_thread();
  what_.what->kernel(call);
}

void launched_kernel::combine() {
  const auto& reductions = what_.what->reductions;
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    reductions[r].fill_with_identity(what_.results[r], reductions[r].elements);
    for (std::size_t b = 0; b < blocks(); ++b)
      reductions[r].combine(what_.results[r], partial(r, b), reductions[r].elements);
  }
}

detail::index_box launched_kernel::units(const kernel_launch& what) {
  if (!what.what->grouped)
    return what.items;
  detail::index_box groups;
  for (std::size_t d = 0; d < 3; ++d) {
    groups.from[d] = (what.items.from[d] - what.what->items.from[d]) / what.what->group[d];
    groups.to[d] = (what.items.to[d] - what.what->items.from[d]) / what.what->group[d];
  }
  return groups;
}

std::size_t launched_kernel::block_count(std::size_t threads) const {
  constexpr std::size_t blocks_per_thread = 4; // so that a thread that is slow or busy can be helped
  constexpr std::size_t blocks_with_reductions = 64;
  const bool reduces = !what_.what->reductions.empty();
  return reduces ? blocks_with_reductions : threads > 1 ? threads * blocks_per_thread : 1;
}

void* launched_kernel::partial(std::size_t reduction, std::size_t block) {
  const auto& of = what_.what->reductions[reduction];
  return partials_[reduction].data() + block * of.elements * of.element_bytes;
}

} // namespace tacit::runtime
