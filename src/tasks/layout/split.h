// Static splits: which chunk of a task's execution range each rank executes.
//
// The ranks stand in a mesh of up to three axes, one for each dimension of the execution range, in row-major order: dimension
// d is divided into axes[d].parts intervals, and the chunk of a rank is the product of those with its coordinates in the mesh.
// A range with fewer items than ranks has fewer chunks; the ranks behind the last chunk have none. Everything is a formula
// (of weighted splits: a search among the ends), so that a split of 65,536 chunks costs no more to make than one of two.
#pragma once

#include "tasks/stream/stream.h"

#include <memory>
#include <vector>

namespace tacit::tasks {

/// One dimension of the execution range in consecutive intervals. Equal: the first ones are one granule longer.
struct partition {
  interval global;
  coordinate granularity = 1;
  std::uint32_t parts = 1;
  coordinate each = 0, longer = 0; ///< equal: granules of a part, and how many parts have one more
  std::vector<coordinate> ends;    ///< weighted: where each part ends; empty if the parts are equal
  interval part(std::uint32_t i) const;
  /// The first part that is not empty; 0 if all are.
  std::uint32_t first_part() const;
  friend bool operator==(const partition&, const partition&) = default;
};

struct split {
  box global; ///< the execution range
  std::array<partition, dimensions> axes;
  bool gaps = false;        ///< a chunk before the last is empty (a weight of 0, or nearly)
  std::uint64_t digest = 0; ///< of the axes: weighted ones have as many ends as there are ranks
  std::uint32_t chunks() const { return axes[0].parts * axes[1].parts * axes[2].parts; }
  /// The rank whose coordinate along an axis is one higher, minus the rank.
  std::uint32_t stride(int axis) const;
  std::uint32_t coordinate_of(std::uint32_t rank, int axis) const;
  /// Empty for a rank behind the last chunk.
  box chunk(std::uint32_t rank) const;
  friend bool operator==(const split&, const split&) = default;
};

/// The split that all ranks make of a geometry.
split make_split(const geometry& shape, std::uint32_t ranks);

/// Splits of geometries that were seen before: equal geometries have the same object. Keeps at most `kept`, the latest used.
class split_table {
public:
  explicit split_table(std::uint32_t ranks) : ranks_(ranks) {}
  std::shared_ptr<const split> of(const geometry& shape);

private:
  static constexpr std::size_t kept = 16;
  struct known {
    geometry shape;
    std::shared_ptr<const split> made;
  };
  std::uint32_t ranks_;
  std::vector<known> known_; ///< the latest used first
};

} // namespace tacit::tasks
