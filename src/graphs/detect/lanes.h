// Which copy of a broadcast byte is taken at a destination that got several.
#pragma once

#include "graphs/detect/detect.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// Bytes [begin, last] of a source, each available `copies` times. Ends are inclusive: bytes may lie at the
/// very end of the address space.
struct address_run {
  std::uint64_t begin = 0, last = 0;
  std::uint32_t copies = 1;
};

/// Source bytes [begin, last] delivered by a transfer.
struct arrival {
  std::uint64_t begin = 0, last = 0;
  std::uint32_t transfer = 0;
};

/// How often each source byte arrives, as runs in address order, neighbors with equal counts joined. Sorts
/// `arrivals`.
std::vector<address_run> count_copies(std::vector<arrival>& arrivals);

/// The smaller count of each byte; bytes with none are left out.
std::vector<address_run> smaller(std::span<const address_run> a, std::span<const address_run> b);

/// A stretch of source bytes in which every lane is served by one transfer.
struct lane_step {
  std::uint64_t begin = 0, last = 0;
  std::vector<std::uint32_t> transfers; ///< per lane
};

/// Serves each byte of `runs` with as many transfers as it has copies. A lane stays with its transfer as long
/// as it can; else one is preferred that lies wholly within the runs, then the one that reaches farthest,
/// then the first. Cost O((arrivals + steps · copies) log arrivals).
std::vector<lane_step> choose_lanes(std::span<const address_run> runs, std::vector<arrival>& arrivals);

} // namespace tacit::graphs
