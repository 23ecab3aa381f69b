// The objects behind the opaque handles.
#pragma once

#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/run/driver.h"
#include "runtime/schedule/local_graph.h"
#include "surface/capi/errors.h"

#include <map>
#include <memory>
#include <tacit/tacit.h>

struct tacit_graph_s {
  MPI_Comm comm = MPI_COMM_NULL; ///< the user's
  int rank = 0;
  int size = 0;
  tacit::runtime::local_graph local;
  std::map<tacit_op, std::pair<tacit_compute_function*, void*>> computations;
  int first_error = TACIT_SUCCESS; ///< of a call that added to this graph
  std::string first_error_text;
};

struct tacit_topology_s {
  std::shared_ptr<const tacit::neighbors::topology> value;
};

struct tacit_schedule_s {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL; ///< of the user's communicator, which may be freed by now
  MPI_Comm private_comm = MPI_COMM_NULL;
  int rank = 0;
  std::unique_ptr<tacit::runtime::connection> peers;
  std::unique_ptr<tacit::runtime::execution> run; ///< after `peers`, which it uses
  tacit::runtime::neighbor_operation
      neighbor;           ///< of a neighborhood collective, in place of comm, peers and run
  bool only_once = false; ///< nonblocking: has been started and cannot be started again
  bool active = false;
  int failure = TACIT_SUCCESS; ///< the execution has failed; nothing is left but to free the schedule
  std::string failure_text;
  std::string text, json; ///< explanations

  tacit::runtime::execution& executed() const { return run ? *run : neighbor.run(); }
};

namespace tacit::surface {

/// Throws unless MPI is running and no computation of a schedule is on the stack.
void require_calls_allowed();

/// A call that adds to a graph has ended so: its first error is also that of tacit_compile.
void keep_first_error(tacit_graph_s& graph, int result) noexcept;

/// Fills in text and json of a neighborhood collective.
void explain_neighbor(tacit_schedule_s& schedule);

/// Starts the schedule; what it throws stays with the schedule, as with tacit_start.
void start_schedule(tacit_schedule schedule);

/// On while a computation of the program runs.
struct computation_scope {
  computation_scope();
  ~computation_scope();
};

} // namespace tacit::surface

namespace tacit::runtime {
/// Collective part of tacit_compile. Throws the same api_error on all ranks, also if `has_place` is false on
/// one of them (it gave no place for the handle).
std::unique_ptr<tacit_schedule_s> compile_collectively(const tacit_graph_s& graph, MPI_Info info,
                                                       bool has_place);

} // namespace tacit::runtime
