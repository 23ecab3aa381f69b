// A distribution: which part of a buffer each rank holds or wants, for all ranks at once.
//
// It is a split and a term (symbolic), or a region for each rank (a mapper that is none of the catalogue's). Whose part overlaps
// a box is found without asking all ranks: along each axis of the mesh the intervals are monotone, so that a binary search finds
// the first and the last. Cost: O(log ranks) and the ranks that are found; O(ranks) for a list of regions.
#pragma once

#include "tasks/layout/split.h"

#include <functional>
#include <utility>

namespace tacit::tasks {

struct distribution {
  std::shared_ptr<const split> across;
  term map;
  range extent;                                      ///< of the buffer
  std::shared_ptr<const std::vector<region>> listed; ///< by rank, instead of the term

  bool symbolic() const { return listed == nullptr; }
  /// What the rank has, clamped to the buffer.
  region piece(std::uint32_t rank) const;
  /// The same for a symbolic distribution, where it is a box.
  box piece_box(std::uint32_t rank) const;
  /// What the rank sends to those who lack it: its piece, unless another rank with a lower coordinate has the same.
  region first_copy(std::uint32_t rank) const;
  /// What all ranks together have.
  region image() const;
  friend bool operator==(const distribution& a, const distribution& b);
};

/// A range of coordinates of a mesh, along each axis.
struct mesh_range {
  std::array<std::pair<std::uint32_t, std::uint32_t>, dimensions> axis{}; ///< first, one past the last
  bool empty() const;
  std::uint64_t count() const;
  friend bool operator==(const mesh_range&, const mesh_range&) = default;
};

/// The coordinates of all ranks whose piece may overlap the box. Symbolic distributions only.
mesh_range holders(const distribution& where, const box& what);

/// The same for first_copy().
mesh_range first_holders(const distribution& where, const box& what);

/// Calls visit(rank, common) for every rank whose piece overlaps the box, in increasing order of ranks.
/// for_each_first_holder: the same for first_copy().
void for_each_holder(const distribution& where, const box& what,
                     const std::function<void(std::uint32_t, const region&)>& visit);

void for_each_first_holder(const distribution& where, const box& what,
                           const std::function<void(std::uint32_t, const region&)>& visit);

} // namespace tacit::tasks
