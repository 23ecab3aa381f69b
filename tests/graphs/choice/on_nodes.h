// Ranks on nodes.
#pragma once

#include "graphs/cost/makespan.h"

#include <cstdint>

namespace tacit::test {

/// Two to four nodes, ranks in a row or one after the other or anyhow, so that no node has one rank alone if there are enough.
inline graphs::process_map on_nodes(std::uint32_t ranks, std::uint64_t seed) {
  const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(seed % 3);
  graphs::process_map where;
  for (std::uint32_t r = 0; r < ranks; ++r)
    where.node.push_back(seed % 4 < 2   ? r * nodes / ranks
                         : seed % 4 < 3 ? r % nodes
                                        : (r * r * 7 + seed) % nodes);
  return where;
}

} // namespace tacit::test
