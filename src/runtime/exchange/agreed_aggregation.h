// Locality aggregation (neighbors/passes/aggregate.h) among real ranks: who is on which node, and what the
// ranks of a node tell each other before the plan of a persistent operation is complete.
#pragma once

#include "neighbors/passes/aggregate.h"
#include "runtime/mpi/agreement.h"

#include <mpi.h>
#include <string>

namespace tacit::runtime {

/// Collective: one allgather of a word per rank. Ranks are on one node if their identities are equal
/// (agreed_model.h). Keeps what it throws in `all`, and throws what `all` does.
neighbors::node_map find_nodes(int rank, int size, MPI_Comm comm, agreement& all);

/// Collective. Aggregates the coalesced plan of this rank if the busiest rank has less to do then. Exchanges
/// two messages between any two ranks of each node, and agrees three times. Uses three tags from `first_tag`
/// on in the plan, and one plus `base` for these messages. Returns one line for people. Keeps what it throws
/// in `all`, and throws what `all` does.
std::string aggregate(graphs::rank_plan& plan, const neighbors::node_map& nodes, int rank, int first_tag,
                      int base, const graphs::message_cost& cost, MPI_Comm comm, agreement& all);

} // namespace tacit::runtime
