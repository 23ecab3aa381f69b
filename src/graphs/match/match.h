// Which receive takes which send (seed 000 section 2.1, Algorithm 1), and one order in which all operations
// can run.
//
// Without wildcards nothing is simulated: MPI's non-overtaking rule pairs the k-th send with the k-th receive
// of (communicator, source, destination, tag) in creation order. Pairs made by put and get are taken over as
// they are.
#pragma once

#include "graphs/graph/graph.h"
#include "vocabulary/base/diagnostic.h"

#include <cstdint>
#include <vector>

namespace tacit::graphs {

struct matching {
  /// Per operation: its partner, or no_op for everything but matched sends and receives.
  std::vector<op_id> partner;
};

/// Pairs sends and receives; unmatched operations (each with its nearest candidate) and truncations go to
/// `problems`. Cost O(operations).
matching match(const graph& g, diagnostics& problems);

/// A topological order of D ∪ M ∪ fence order under buffered semantics: a send completes when it starts, a
/// receive after its send has started. A receive follows its send directly whenever nothing else holds it
/// back.
struct run_order {
  std::vector<op_id>
      order; ///< every operation once; shorter if there is a cycle (then a diagnostic was given)
  /// True if it is known that each matched receive follows its send directly, and does not wait for it otherwise.
  bool in_pairs = false;
};

/// Computes the order; a cycle becomes a diagnostic that lists it.
run_order order_operations(const graph& g, const matching& m, diagnostics& problems);

/// Runs the graph under rendezvous semantics (a send completes only when its receive has started); if it
/// cannot finish, gives a warning "relies on buffering" that names the operations that wait for each other.
void check_rendezvous(const graph& g, const matching& m, const run_order& o, diagnostics& problems);

/// Reports operations of a rank that touch a common byte, one of them writing, unordered by happens-before
/// (D ∪ M ∪ fences)*. If there is such a pair at all, at least one is reported; pairs that follow from
/// reported ones by transitivity may be left out. Of a receive only the bytes that its message fills count.
void check_races(const graph& g, const matching& m, const run_order& o, diagnostics& problems);

} // namespace tacit::graphs
