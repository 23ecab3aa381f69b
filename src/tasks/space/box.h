// Points, intervals and boxes of integer coordinates. All of them have three dimensions: what has fewer is 0..1 in the
// dimensions that it lacks, so that no algorithm has to ask how many there are.
#pragma once

#include "vocabulary/base/spoken.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace tacit::tasks {

inline constexpr int dimensions = 3;
using coordinate = std::int64_t;
using point = std::array<coordinate, dimensions>;

/// Half-open: begin is inside, end is not. Empty if end <= begin.
struct interval {
  coordinate begin = 0, end = 0;
  constexpr bool empty() const { return end <= begin; }
  constexpr coordinate length() const { return empty() ? 0 : end - begin; }
  constexpr bool contains(const interval& other) const {
    return other.empty() || (begin <= other.begin && other.end <= end);
  }
  friend constexpr auto operator<=>(const interval&, const interval&) = default;
};

constexpr interval intersection(const interval& a, const interval& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// How many elements there are in each dimension; 1 in a dimension that is missing.
struct range {
  std::array<coordinate, dimensions> size{1, 1, 1};
  constexpr coordinate operator[](int d) const { return size[static_cast<std::size_t>(d)]; }
  constexpr coordinate volume() const { return size[0] * size[1] * size[2]; }
  friend constexpr auto operator<=>(const range&, const range&) = default;
};

/// The product of three intervals; empty if one of them is.
struct box {
  std::array<interval, dimensions> side{};
  constexpr const interval& operator[](int d) const { return side[static_cast<std::size_t>(d)]; }
  constexpr interval& operator[](int d) { return side[static_cast<std::size_t>(d)]; }
  constexpr bool empty() const { return side[0].empty() || side[1].empty() || side[2].empty(); }
  constexpr coordinate volume() const { return side[0].length() * side[1].length() * side[2].length(); }
  constexpr point min() const { return {side[0].begin, side[1].begin, side[2].begin}; }
  constexpr point max() const {
    return {side[0].end, side[1].end, side[2].end};
  } ///< one past the last, in each dimension
  constexpr bool contains(const box& other) const {
    return other.empty() ||
           (side[0].contains(other[0]) && side[1].contains(other[1]) && side[2].contains(other[2]));
  }
  friend constexpr auto operator<=>(const box&, const box&) = default;
};

constexpr box box_of(const point& min, const point& max) {
  return {{{{min[0], max[0]}, {min[1], max[1]}, {min[2], max[2]}}}};
}
/// All elements of a range, from the origin on.
constexpr box box_of(const range& extent) {
  return {{{{0, extent[0]}, {0, extent[1]}, {0, extent[2]}}}};
}
constexpr range range_of(const box& b) {
  return {{b[0].length(), b[1].length(), b[2].length()}};
}

constexpr box intersection(const box& a, const box& b) {
  return {{intersection(a[0], b[0]), intersection(a[1], b[1]), intersection(a[2], b[2])}};
}
/// The smallest box around both.
constexpr box hull_of(const box& a, const box& b) {
  if (a.empty() || b.empty())
    return a.empty() ? b : a;
  box out;
  for (int d = 0; d < dimensions; ++d)
    out[d] = {std::min(a[d].begin, b[d].begin), std::max(a[d].end, b[d].end)};
  return out;
}
constexpr bool overlap(const box& a, const box& b) {
  return !intersection(a, b).empty();
}

/// "[0,8)" or "[0,8)x[2,4)": dimensions at the end that are 0..1 are left out.
std::string text_of(const box& b);

} // namespace tacit::tasks
