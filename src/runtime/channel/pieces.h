// Lists of pieces of memory in packing order: the beginning of one, and two of them side by side.
#pragma once

#include "graphs/graph/graph.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::runtime {

/// At most `bytes` of them.
inline std::vector<graphs::segment> first_bytes(std::span<const graphs::segment> list, std::uint64_t bytes) {
  std::vector<graphs::segment> out;
  for (const graphs::segment& s : list) {
    if (bytes == 0)
      break;
    out.push_back({s.address, std::min(s.length, bytes)});
    bytes -= out.back().length;
  }
  return out;
}

/// `visit(from, into, bytes)` for each part that is contiguous in both. What one list has more is left out.
template <typename Visit>
void each_paired_piece(std::span<const graphs::segment> from, std::span<const graphs::segment> into,
                       Visit&& visit) {
  std::size_t i = 0, j = 0;
  std::uint64_t done_i = 0, done_j = 0;
  while (i < from.size() && j < into.size()) {
    const std::uint64_t n = std::min(from[i].length - done_i, into[j].length - done_j);
    if (n > 0)
      visit(from[i].address + done_i, into[j].address + done_j, n);
    done_i += n;
    done_j += n;
    if (done_i == from[i].length)
      ++i, done_i = 0;
    if (done_j == into[j].length)
      ++j, done_j = 0;
  }
}

} // namespace tacit::runtime
