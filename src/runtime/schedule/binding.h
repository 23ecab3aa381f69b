// From the steps of each rank to what executes them: drivers that all ranks can use, connected.
#pragma once

#include "runtime/mpi/agreement.h"
#include "runtime/mpi/private_communicator.h"
#include "runtime/schedule/bound_graph.h"
#include "runtime/schedule/computations.h"
#include "runtime/schedule/graph_builder.h"
#include "runtime/schedule/rank_position.h"
#include "runtime/schedule/wire.h"
#include "vocabulary/base/function_ref.h"

#include <map>
#include <memory>
#include <vector>

namespace tacit::runtime {

/// What steps call of this rank's own.
struct own_functions {
  std::shared_ptr<graph_computations> calls;
  std::map<graphs::reducer_id, bound_reducer> reducers;
};
/// Those of a part of a graph, by the names that `mine` has for them. Local.
own_functions functions_of(const rank_part& mine, const graph_builder& part);

/// A graph that is bound to drivers on this rank.
struct binding {
  std::vector<private_communicator> of_candidates; ///< for `plan`, which is destroyed before them
  std::unique_ptr<bound_graph> plan;
  own_functions functions;
};

/// Collective: the schedule of this rank, connected. Agrees on all that was done before, but not on its own last step. `mine` has no
/// variants on ranks to which others, which have failed, had nothing to tell; `functions` is asked where it has. `function` is what the
/// user has called.
binding bind_together(rank_part& mine, function_ref<own_functions()> functions, const rank_position& here,
                      const char* function, agreement& all);

} // namespace tacit::runtime
