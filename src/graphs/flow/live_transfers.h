// What somebody reads of the transfers of a graph.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/flow/live_bytes.h"

#include <utility>
#include <vector>

namespace tacit::graphs {

/// True if not all that is written is live.
inline bool has_dead_bytes(const graph& g) {
  return !g.live_out_bytes().empty() || !g.scratch_bytes().empty();
}

/// Leaves those bytes of transfers in canonical form that are live.
inline void keep_what_is_live(const graph& g, std::vector<transfer>& list) {
  if (!has_dead_bytes(g))
    return;
  const std::vector<transfer> all = std::exchange(list, {});
  list.reserve(all.size());
  live_bytes live(g);
  for (const transfer& t : all)
    live.filter(t.destination, {t.destination_address, t.length, t.source_address, t.source, 0},
                [&](const fragment& f) {
                  list.push_back({f.address, f.source_address, f.length, f.source, t.destination});
                });
}

} // namespace tacit::graphs
