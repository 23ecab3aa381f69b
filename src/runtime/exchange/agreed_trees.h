// Balancing trees (neighbors/passes/tree.h) among real ranks: what they tell each other before the plan of a
// persistent operation is complete.
#pragma once

#include "neighbors/passes/tree.h"
#include "runtime/mpi/agreement.h"

#include <mpi.h>
#include <string>

namespace tacit::runtime {

struct tree_outcome {
  bool any = false;   ///< some rank has a tree
  std::string remark; ///< one line for people
};

/// Collective. Adds trees to the coalesced plan of this rank where they pay: an allgather of loads, and a
/// message from each hot rank to each of its members. Uses tags from `first_tag` on, one per tree, in the
/// plan, and the same plus `base` for these messages. Keeps what it throws in `all`; throws what `all` does.
tree_outcome add_trees(graphs::rank_plan& plan, int rank, int size, int first_tag, int base,
                       const neighbors::tree_rule& rule, MPI_Comm comm, agreement& all);

} // namespace tacit::runtime
