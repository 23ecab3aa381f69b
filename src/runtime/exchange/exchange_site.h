// What preparing an operation needs to know of its communicator: plain values, borrowed for the time of the
// preparation.
#pragma once

#include "neighbors/passes/neighbor.h"
#include "neighbors/topology/topology.h"
#include "runtime/exchange/agreed_model.h"
#include "runtime/exchange/native_communicators.h"
#include "runtime/exchange/sizes.h"

#include <memory>
#include <mpi.h>
#include <string_view>

namespace tacit::runtime {

struct exchange_site {
  MPI_Comm comm = MPI_COMM_NULL; ///< private to tacit, returns errors; null: still being made
  int rank = 0, size = 1;
  const neighbors::neighborhood* edges = nullptr;     ///< of this rank
  const neighbors::topology* topology = nullptr;      ///< null: it is MPI's
  const neighbors::edge_rounds* distances = nullptr;  ///< rounds that need no coloring
  const neighbors::edge_rounds* colors = nullptr;     ///< null: the graph is not colored
  std::string_view order;                             ///< for people: in what order messages are posted
  int widest = 1;                                     ///< the most edges from one rank to another one
  edge_sizes* sizes = nullptr;                        ///< memory for operations that are prepared together
  const agreed_model* model = nullptr;                ///< for operations that all ranks prepare together
  std::shared_ptr<native_communicators> native_comms; ///< the same

  rank_id me() const { return rank_id{static_cast<std::uint32_t>(rank)}; }
  /// Several edges join some two ranks. The same on all ranks.
  bool has_parallel_edges() const { return widest > 1; }
};

} // namespace tacit::runtime
