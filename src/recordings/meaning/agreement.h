// How much it says that blocks of an allgather arrived unchanged, if they are so small that any two may be alike.
//
// A block of one of p ranks reaches p - 1 others. The first message that carries it shows it; each of the p - 2 others is a
// comparison: what a rank sends on is what it got, at the same place, or what it sends again is what it sent before. The
// other explanation is that each rank sends what it has at that time, and that this looks alike because most of what ranks
// have looks alike: flags, lengths, the number of the step. How alike it is is seen in the episode itself: contents of two of its ranks
// agree with probability q = sum of the squared shares of each content. Then all p (p - 2) comparisons succeed with
// probability q^(p (p - 2)), and the episode says -p (p - 2) log2 q bits. If all ranks contribute the same it says nothing,
// whatever made them agree: a maximum that goes around a ring is such a case. Two contents are enough to tell it: some rank with
// the larger one has to send on the smaller one, which a maximum, or any other computation with what the rank has, does not.
#pragma once

#include "recordings/meaning/known_messages.h"

#include <cstdint>
#include <span>

namespace tacit::recordings {

struct contributions {
  std::uint64_t content = 0; ///< hash of what all ranks contribute
  double bits = 0;           ///< what their arrival says, see above
};

/// Of an allgather on `ranks` ranks: a rank contributes what its first message with only bytes of its own carries. Cost
/// O(messages · log messages).
contributions weigh_contributions(const known_messages& known, std::span<const std::uint32_t> episode,
                                  std::uint32_t ranks);

} // namespace tacit::recordings
