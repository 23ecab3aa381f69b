// A kernel in blocks, which the threads of a backend run in any order: a few for every thread. With reductions there are as many
// blocks as the items say, whatever the threads: each combines its own contributions, and the blocks' are combined in their
// order, so that a run gives the same bits every time, on every backend.
#pragma once

#include "runtime/devices/backend.h"

#include <cstddef>
#include <typeinfo>
#include <vector>

namespace tacit::runtime {

std::size_t volume(const detail::index_box& box);

/// A grid of blocks over a box: dimension 0 is cut first.
class blocks_of {
public:
  blocks_of(const detail::index_box& box, std::size_t wanted);
  std::size_t count() const { return cuts_[0] * cuts_[1] * cuts_[2]; }
  detail::index_box operator[](std::size_t number) const;

private:
  detail::index_box box_;
  detail::extents cuts_{};
};

/// What the blocks of one launch share.
class launched_kernel {
public:
  launched_kernel(kernel_launch&& what, std::size_t threads);
  std::size_t blocks() const { return blocks_.count(); }
  /// Any thread; each block once.
  void run_block(std::size_t number);
  /// After all blocks: the results of reductions.
  void combine();

  std::size_t items() const { return volume(what_.items); }
  const std::type_info& type() const { return what_.what->kernel.target_type(); }

private:
  /// Items, or groups, counted from the range's start.
  static detail::index_box units(const kernel_launch& what);
  std::size_t block_count(std::size_t threads) const;
  void* partial(std::size_t reduction, std::size_t block);

  kernel_launch what_;
  blocks_of blocks_;
  std::vector<std::vector<std::byte>> partials_;
};

} // namespace tacit::runtime
