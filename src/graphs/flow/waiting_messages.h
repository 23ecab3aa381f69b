// Which messages are held between their send and their receive when operations run in order.
#pragma once

#include "graphs/match/match.h"

#include <cstddef>
#include <vector>

namespace tacit::graphs {

/// Visits the sends that their receives do not follow directly. What follows a graph in run order moves a message once if it is handed over
/// at once, and twice if it has to wait; who finds the same in another way counts alike.
template <typename Visit>
void each_that_waits(const graph& g, const matching& m, const run_order& o, Visit&& visit) {
  const std::vector<op_id>& order = o.order;
  for (std::size_t i = 0; !o.in_pairs && i < order.size(); ++i)
    if (const op_id receive = m.partner[index(order[i])];
        receive != no_op && g[order[i]].kind == op_kind::send)
      if (i + 1 == order.size() || order[i + 1] != receive)
        visit(order[i]);
}

} // namespace tacit::graphs
