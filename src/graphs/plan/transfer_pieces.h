// Pieces of transfers, as plans are made from them: cut from slices, visited by pair of ranks, sorted.
#pragma once

#include "graphs/detect/detect.h"
#include "graphs/flow/flow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// A slice of a transfer with its own addresses.
struct transfer_piece {
  rank_id source, destination;
  std::uint64_t source_address, destination_address, length;
};

inline transfer_piece piece_of(const transfers& t, const slice& s) {
  const transfer& x = t.list[s.transfer];
  return {x.source, x.destination, x.source_address + s.offset, x.destination_address + s.offset, s.length};
}

/// Visits the pieces of each pair of ranks together: visit(span of pieces). Those of a pair must follow each other.
template <typename Visit>
void each_pair(std::span<transfer_piece> pieces, Visit&& visit) {
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t end = first + 1;
    while (end < pieces.size() && pieces[end].source == pieces[first].source &&
           pieces[end].destination == pieces[first].destination)
      ++end;
    visit(pieces.subspan(first, end - first));
    first = end;
  }
}

/// Stable; looks first, as pieces nearly always come in order.
template <typename Before>
void sort_if_needed(std::span<transfer_piece> pieces, Before before) {
  if (!std::is_sorted(pieces.begin(), pieces.end(), before))
    std::stable_sort(pieces.begin(), pieces.end(), before);
}

/// Stable; counts instead of comparing, unless there are few.
void sort_by_source(std::vector<transfer_piece>& pieces, std::uint32_t ranks);

/// Cuts all pieces of one source at the break points of all its destinations; sorted by (source address,
/// destination, destination address) afterwards.
void cut_alike(std::vector<transfer_piece>& pieces);

/// Who of the group gets the result of a combined piece at a place of its list; no_rank: nobody, as there is none.
rank_id owner_of(const finding& f, const combined_piece& p, std::size_t place,
                 const std::vector<rank_id>& group);

} // namespace tacit::graphs
