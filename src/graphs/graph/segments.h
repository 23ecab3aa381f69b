// Small algebra on segment lists: normal form, intersection, coalescing in packing order.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/graph/segment_list.h"

#include <span>
#include <vector>

namespace tacit::graphs {

/// Sorted, disjoint, maximally merged: the set of bytes.
std::vector<segment> normalized(std::vector<segment> segments);

/// Bytes in both of two normalized lists, normalized.
std::vector<segment> intersection(std::span<const segment> a, std::span<const segment> b);

/// Some byte is in both lists, each of which is in the order of addresses. O(n). Inline for lists of one, which most are.
inline bool overlap_in_order(std::span<const segment> a, std::span<const segment> b) {
  const auto is_over = [](const segment& x, const segment& at) { // without its end, which may wrap at 2^64
    return x.length == 0 || (at.address >= x.address && at.address - x.address >= x.length);
  };
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (is_over(a[i], b[j]))
      ++i;
    else if (is_over(b[j], a[i]))
      ++j;
    else
      return true;
  }
  return false;
}

/// Some byte is in both lists, which need not be normalized. O(n log n): columns of one array lie between
/// each other, so that comparing all pieces with all takes minutes for a face of 256 x 256 points.
bool overlap(std::span<const segment> a, std::span<const segment> b);

/// All of one list lies before all of the other one, as in two buffers; false may be said of lists that only lie between each other.
bool apart(std::span<const segment> a, std::span<const segment> b);

/// The first byte of `part` that is not in the normalized list `whole`, as a segment of length 1; length 0 if
/// none.
segment first_outside(std::span<const segment> part, std::span<const segment> whole);

/// Appends in packing order; a piece that continues the last one extends it. Empty pieces are dropped.
void append(std::vector<segment>& list, segment piece);
void append(segment_list& list, segment piece);

/// Bytes `begin` to `end` - 1 of a list, counted in packing order; fewer if it is shorter.
std::vector<segment> bytes_between(std::span<const segment> list, std::uint64_t begin, std::uint64_t end);

} // namespace tacit::graphs
