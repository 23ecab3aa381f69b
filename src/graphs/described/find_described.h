// Which of the patterns that users describe a graph has.
#pragma once

#include "graphs/described/described.h"
#include "graphs/detect/detect.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tacit::graphs {

struct described_finding {
  std::string name, says; ///< of the pattern
  comm_id comm = world;   ///< among its members, numbered as there
  rank_id root = no_rank; ///< as graph rank, if the pattern speaks of one
  bool leftover = false;  ///< it is what collectives leave, not all that the members exchange
  std::vector<std::pair<std::string, std::uint64_t>> lengths; ///< of those that are determined
};

/// The first thing that differs, where a pattern comes nearest.
struct described_miss {
  std::string name, detail;
};

struct described_findings {
  std::vector<described_finding> found;
  std::vector<described_miss> missed; ///< of patterns that are found nowhere, on all ranks
};

/// "ring shift among 4 ranks of row, root 2, block 64 B, of what collectives leave".
std::string describe(const described_finding& f, const graph& g);

/// Compares what the members of each communicator exchange (`t.list`) with each pattern, and if that is another thing than it, what
/// collectives leave of it (`residual`). Local copies do not count. Cost O(transfers · communicators + pairs of the patterns, for
/// each root until the first difference).
described_findings find_described(const graph& g, const transfers& t, const slice_list& residual,
                                  const std::vector<described_pattern>& patterns);

} // namespace tacit::graphs
