// Everything tacit keeps for the neighborhood collectives of one communicator: the private duplicate, the
// neighborhood, and what earlier calls have made.
//
// Each kind of call has a room of its own in this folder:
//     nonblocking, and blocking unless prepared   a plan that each rank makes alone (local_plan.h), kept for
//                                                 the next call (plan_cache.h); by the caller's datatypes if
//                                                 there are too many pieces to list (unlisted.h); until the
//                                                 communicator is set up, nonblocking ones wait in line
//     blocking, on a promise of the user          prepared_calls.h
//     persistent                                  prepare.cpp, persistent.h
//
// Life: with the communicator (as an attribute), or longer if operations that use it are kept; at the latest
// until MPI_Finalize.
#pragma once

#include "runtime/exchange/agreed_model.h"
#include "runtime/exchange/communicator_setup.h"
#include "runtime/exchange/exchange_site.h"
#include "runtime/exchange/native_communicators.h"
#include "runtime/exchange/neighbor_call.h"
#include "runtime/exchange/neighbor_operation.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/exchange/opening.h"
#include "runtime/exchange/plan_cache.h"
#include "runtime/exchange/prepared_calls.h"

#include <functional>
#include <memory>
#include <mpi.h>

namespace tacit::runtime {

class neighbor_communicator : public std::enable_shared_from_this<neighbor_communicator> {
public:
  /// The one of this communicator, made and attached if it is the first call. Local. Throws neighbor_error
  /// (no topology, environment) and mpi_error.
  static std::shared_ptr<neighbor_communicator> of(MPI_Comm comm);
  /// The same, by all ranks together, with the same error on all; blocks if it is the first call.
  static std::shared_ptr<neighbor_communicator> of_all(MPI_Comm comm, const char* caller);
  /// Reads options from `info`, for all later calls on the communicator. Collective. Throws neighbor_error,
  /// equal on all ranks, and mpi_error.
  static void set_info(MPI_Comm comm, MPI_Info info);

  neighbor_communicator(MPI_Comm comm, const neighbor_options& options);
  neighbor_communicator(const neighbor_communicator&) = delete;
  neighbor_communicator& operator=(const neighbor_communicator&) = delete;

  /// Not started. Blocking: waits until the communicator has been set up; else it may be returned before,
  /// and sets up when it is started. Throws neighbor_error, datatype_error, mpi_error.
  neighbor_operation operation(const neighbor_call& call, bool blocking);
  /// Persistent. Collective, blocks. Errors are equal on all ranks, also those of `keep`, which gets the
  /// operation and makes of it what needs memory.
  void persistent(const neighbor_call& call, MPI_Info info,
                  const std::function<void(neighbor_operation)>& keep);

  /// Does now what the first operation would do. Collective, blocks. Throws as `operation`.
  void set_up() { opening_.finish(); }
  /// The communicator is being freed. May block on the other ranks.
  void let_go() { opening_.let_go(); }

  const neighbors::neighborhood& edges() const { return edges_; }
  const neighbor_options& options() const { return options_; }
  int rank() const { return rank_; }
  MPI_Comm comm() const { return opening_.comm(); }
  /// Some rank has several edges to one rank, or one to itself. Once set up; the same on all ranks.
  bool has_multiple_edges() const { return setup_.has_multiple_edges(); }
  /// The tags of persistent operations are used up.
  bool worn_out() const { return opening_.tags().used_up(); }

private:
  exchange_site site();
  const agreed_model& model(const char* function);
  bool prepares_calls() const;
  neighbor_operation planned_operation(const neighbor_call& call, bool blocking);
  neighbor_operation prepared_operation(const neighbor_call& call);
  neighbor_operation unlisted_operation(const neighbor_call& call, bool blocking);
  void check_call(const neighbor_call& call);
  std::shared_ptr<cached_plan> find_plan(const neighbor_call& call);
  std::shared_ptr<prepared_call> find_prepared(const neighbor_call& call);
  std::shared_ptr<prepared_call> prepare_call(const neighbor_call& call);
  std::string_view simple_driver() const { return options_.driver == "dry" ? "dry" : "p2p"; }
  std::shared_ptr<opening> line() { return {shared_from_this(), &opening_}; }

  int rank_, size_;
  std::shared_ptr<const neighbors::topology> topology_; ///< null: MPI's own
  neighbors::neighborhood edges_;
  neighbors::edge_rounds distances_; ///< rounds where there is no coloring, or not yet
  neighbor_options options_;
  edge_sizes sizes_;
  communicator_setup setup_;
  opening opening_;
  std::unique_ptr<const agreed_model> model_; ///< from the first operation on that is prepared together
  std::shared_ptr<native_communicators> native_comms_ = std::make_shared<native_communicators>();
  plan_cache plans_;
  call_notices notices_;
  prepared_calls prepared_;
  call_signature scratch_; ///< of the call at hand
};

} // namespace tacit::runtime
