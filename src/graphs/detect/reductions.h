// Collectives among reductions (reduce, allreduce, reduce-scatter, scans, by meaning): terms that have an operand of every member of a
// communicator, or of its first members; or of ranks that no communicator has, if guesses are wanted.
//
// A collective of MPI combines in an order of its own. Where that can change a bit, because the operator rounds and the user does not permit
// it, what is found says in which order the graph combines (`finding::order`), and only algorithms that keep it carry it out. What is not
// wholly explained runs as written.
#pragma once

#include "graphs/detect/detect.h"

#include <vector>

namespace tacit::graphs {

struct combining {
  bool any = false; ///< some part of the graph is explained; else `rest` is empty
  /// The transfers without the explained parts' reductions: what these only move is in `list`, their operations are not kept.
  transfers rest;
  std::vector<finding> found;
  std::vector<communicator> groups; ///< of findings that no communicator has, as findings::groups
  std::vector<refusal> refused;     ///< one for each of the first parts that are not explained
};

/// `reassociate`: other orders may be used although they give other bits.
combining find_reductions(const graph& g, const transfers& t, const detect_options& options,
                          bool reassociate);

} // namespace tacit::graphs
