// The operations of each rank in run order: private to the rooms match and flow.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

struct operations_by_rank {
  /// All operations are in the order.
  operations_by_rank(const graph& g, const std::vector<op_id>& order)
      : list(order.size()), first_of_(g.ranks() + 1, 0) {
    for (const operation& op : g.operations())
      ++first_of_[index(op.rank) + 1];
    for (std::size_t r = 1; r < first_of_.size(); ++r)
      first_of_[r] += first_of_[r - 1];
    constexpr std::size_t ahead = 24; // operations may lie anywhere
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i + ahead < order.size())
        __builtin_prefetch(&g[order[i + ahead]]);
      list[first_of_[index(g[order[i]].rank)]++] = order[i];
    }
    for (std::size_t r = first_of_.size() - 1; r > 0; --r) // filling has moved each begin to the next one
      first_of_[r] = first_of_[r - 1];
    first_of_[0] = 0;
  }
  std::span<const op_id> of(std::uint32_t rank) const {
    return std::span(list).subspan(first_of_[rank], first_of_[rank + 1] - first_of_[rank]);
  }

  std::vector<op_id> list; ///< rank by rank

private:
  std::vector<std::uint32_t> first_of_; ///< per rank: begin in the list
};

/// Also where each operation stands among those of its rank.
struct places_by_rank : operations_by_rank {
  places_by_rank(const graph& g, const std::vector<op_id>& order)
      : operations_by_rank(g, order), local(g.size()) {
    for (std::uint32_t r = 0; r < g.ranks(); ++r)
      for (std::uint32_t place = 0; const op_id op : of(r))
        local[index(op)] = place++;
  }

  std::vector<std::uint32_t> local; ///< per operation
};

} // namespace tacit::graphs
