// Collectives among reductions (reduce, allreduce, reduce-scatter, scans, by meaning): terms that have an operand of every member of a
// communicator, or of its first members.
//
// A collective combines in an order of its own, so only what gives the same bytes in every order is taken: operators that do not
// round, or all if the user permits it. What is not wholly explained runs as written.
#pragma once

#include "graphs/detect/detect.h"

#include <vector>

namespace tacit::graphs {

struct combining {
  bool any = false; ///< some part of the graph is explained; else `rest` is empty
  /// The transfers without the explained parts' reductions: what these only move is in `list`, their operations are not kept.
  transfers rest;
  std::vector<finding> found;
  std::vector<refusal> refused; ///< one for each of the first parts that are not explained
};

/// `reassociate`: other orders may be used although they give other bits.
combining find_reductions(const graph& g, const transfers& t, const detect_options& options,
                          bool reassociate);

} // namespace tacit::graphs
