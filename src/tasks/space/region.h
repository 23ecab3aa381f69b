// A region: a set of points, kept as disjoint boxes.
//
// Canonical: two regions with the same points have the same boxes in the same order, however they were made, so that == is
// equality of sets and every rank packs the elements of a region in the same order. The form is that of slabs: dimension 0 is
// cut wherever the cross section changes, and nowhere else; each cross section is canonical in the dimensions after it.
// Elements are ordered by box, and row by row (dimension 2 runs fastest) in each box.
//
// Cost: O(b^2) for b boxes (each elementary slab looks at all boxes); regions of programs have one to ten.
#pragma once

#include "tasks/space/box.h"

#include <span>
#include <utility>
#include <vector>

namespace tacit::tasks {

class region {
public:
  region() = default;
  region(const box& b) // NOLINT(google-explicit-constructor): a box is a region
      : one_(b.empty() ? box{} : b) {}
  /// The union of boxes, which may overlap.
  explicit region(std::vector<box> boxes);

  std::span<const box> boxes() const& {
    return many_.empty() ? std::span<const box>(&one_, one_.empty() ? 0 : 1) : std::span<const box>(many_);
  }
  region boxes() && { return std::move(*this); } ///< so that a loop may ask a region that nobody keeps
  const box* begin() const { return boxes().data(); }
  const box* end() const { return begin() + boxes().size(); }
  bool empty() const { return many_.empty() && one_.empty(); }
  coordinate volume() const;
  bool contains(const region& other) const;
  /// The smallest box around it.
  box hull() const;
  friend bool operator==(const region&, const region&) = default;

private:
  // Nearly all regions are one box, which needs no memory of its own.
  box one_;
  std::vector<box> many_; ///< two or more, instead
};

region union_of(const region& a, const region& b);
region intersection(const region& a, const region& b);
region difference(const region& a, const region& b);
bool overlap(const region& a, const region& b);

/// Appends the parts of `whole` that lie outside `hole`, disjoint, at most six.
void append_difference(const box& whole, const box& hole, std::vector<box>& out);

/// "{}", a box, or "{[0,2), [4,6)}".
std::string text_of(const region& r);

} // namespace tacit::tasks
