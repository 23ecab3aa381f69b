// The operations of each rank in run order: private to the search for races.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

struct operations_by_rank {
  operations_by_rank(const graph& g, const std::vector<op_id>& order)
      : list(order.size()), local(g.size(), 0), first_of_(g.ranks() + 1, 0) {
    for (const op_id op : order)
      ++first_of_[index(g[op].rank) + 1];
    for (std::size_t r = 1; r < first_of_.size(); ++r)
      first_of_[r] += first_of_[r - 1];
    std::vector<std::uint32_t> filled(g.ranks(), 0);
    for (const op_id op : order) {
      const std::size_t r = index(g[op].rank);
      local[index(op)] = filled[r]++;
      list[first_of_[r] + local[index(op)]] = op;
    }
  }
  std::span<const op_id> of(std::uint32_t rank) const {
    return std::span(list).subspan(first_of_[rank], first_of_[rank + 1] - first_of_[rank]);
  }

  std::vector<op_id> list;          ///< rank by rank
  std::vector<std::uint32_t> local; ///< per operation: position within its rank

private:
  std::vector<std::uint32_t> first_of_; ///< per rank: begin in the list
};

} // namespace tacit::graphs
