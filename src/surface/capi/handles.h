// The objects behind the opaque handles.
#pragma once

#include "neighbors/topology/topology.h"
#include "runtime/schedule/graph_builder.h"
#include "runtime/schedule/schedule.h"
#include "surface/capi/errors.h"

#include <memory>
#include <optional>
#include <tacit/tacit.h>

struct tacit_graph_s {
  tacit::runtime::graph_builder part;
  /// What a call that added to this graph has failed with: tacit_compile fails with it on all ranks.
  std::optional<tacit::runtime::call_error> first_error;
};

struct tacit_topology_s {
  std::shared_ptr<const tacit::neighbors::topology> value;
};

/// A schedule of a graph or of a neighborhood collective.
struct tacit_schedule_s {
  std::unique_ptr<tacit::runtime::schedule> made;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL; ///< of the user's communicator, which may be freed by now
};

namespace tacit::surface {

/// Throws unless MPI is running and no computation of a schedule is on the stack.
void require_calls_allowed();

/// Lets errors of the schedule call the error handler that `comm` has now.
void keep_error_handler(tacit_schedule_s& schedule, MPI_Comm comm);

} // namespace tacit::surface
