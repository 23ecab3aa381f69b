// Affine runs by peer: what one rank sends to, and gets from, each of the others, in the order of ranks.
#pragma once

#include "graphs/graph/affine_run.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::graphs {

/// One piece of memory for each of `count` ranks from `first` on.
struct stretch {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint64_t address = 0; ///< that of rank `first`
  std::uint64_t stride = 0;  ///< from one rank's to the next one's, modulo 2^64; 0 if there is one

  std::uint64_t end() const { return std::uint64_t{first} + count; }
  bool has(std::uint64_t rank) const { return rank >= first && rank < end(); }
  std::uint64_t address_of(std::uint64_t rank) const { return address + stride * (rank - first); }
};

/// The runs of one kind, cut where peers wrap or leave out the rank itself; sorted by `first`. False if some long run does not go from
/// rank to rank. Appends to `into`.
bool append_stretches(const affine_list& list, op_kind kind, std::vector<stretch>& into);

/// The addresses of a stretch from the lowest byte to behind the highest one. Nothing if they wrap at 2^64.
struct byte_range {
  std::uint64_t begin = 0, end = 0;
};
std::optional<byte_range> range_of(const stretch& s, std::uint64_t length);

} // namespace tacit::graphs
