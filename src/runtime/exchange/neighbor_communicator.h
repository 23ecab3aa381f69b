// Everything tacit keeps for the neighborhood collectives of one communicator: the private duplicate, the
// neighborhood, and plans of earlier calls.
//
// Plans are found again by signature: counts, displacements and layouts of the datatypes, not by buffers,
// which are rebound. A rank that finds its plan and a rank that must make one can meet in the same call,
// because making a plan for a blocking or nonblocking call never communicates and the messages do not depend
// on it: one per pair and direction, with the same tag, matched in the order of the calls. (Only _init calls,
// which all ranks make together, exchange sizes; and blocking calls if the user has said that all ranks
// repeat them alike, see prepared_calls.cpp.)
//
// Tags. Blocking and nonblocking calls share the tags of operation 0: their plans post all messages in start,
// and calls are made in the same order on all ranks, so MPI's order of messages matches them. Persistent
// operations may be started in any order and each has tags of its own, numbered in the order of the _init
// calls; when they run out, the next _init moves to a new duplicate.
//
// Life: with the communicator (as an attribute), or longer if operations that use it are kept; at the latest
// until MPI_Finalize.
#pragma once

#include "runtime/exchange/agreed_model.h"
#include "runtime/exchange/communicator_setup.h"
#include "runtime/exchange/neighbor_call.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/exchange/own_communicators.h"
#include "runtime/exchange/ways.h"
#include "runtime/run/driver.h"

#include <deque>
#include <map>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::runtime {

class neighbor_communicator;

/// A plan and the executions of it that are not in use.
struct cached_plan {
  struct execution_at { ///< with the displacement of its buffers from those of the plan
    std::unique_ptr<execution> run;
    std::ptrdiff_t reads = 0, writes = 0;
  };
  call_signature signature;
  program steps;
  std::uint64_t send_buffer = 0, receive_buffer = 0; ///< for which `steps` was made
  std::vector<execution_at> idle;
  std::uint64_t last_use = 0;
};

struct prepared_call;

/// One operation: blocking or nonblocking (borrows from the cache) or persistent (owns).
class neighbor_operation {
public:
  neighbor_operation() = default;
  neighbor_operation(neighbor_operation&&) = default;
  neighbor_operation& operator=(neighbor_operation&&) = default;
  ~neighbor_operation() { release(); }

  execution& run() const { return *run_.run; }
  const char* function() const { return function_; }
  int rank() const;
  MPI_Comm private_comm() const; ///< null while the communicator is being set up
  /// What an exception says, with the edges that it concerns.
  std::string explain(std::exception_ptr failure) const;
  /// Text for people: neighborhood, driver, steps.
  std::string describe() const;
  const neighbors::neighborhood& edges() const;
  const char* driver_name() const;
  std::string steps() const;
  std::string way_name() const; ///< persistent: "coalesced shm"

private:
  friend class neighbor_communicator;
  void release();

  std::shared_ptr<neighbor_communicator> home_;
  std::unique_ptr<connection> peers_; ///< persistent
  std::shared_ptr<cached_plan> cache_;
  std::shared_ptr<prepared_call> prepared_; ///< lent by the communicator
  cached_plan::execution_at run_;
  const char* function_ = "";
  const char* driver_ = "";
  std::string steps_;               ///< persistent: summary
  std::string remarks_;             ///< persistent: which optimizations were used, and why others not
  agreed_ways ways_;                ///< persistent: what was compared, and taken
  std::string own_call_;            ///< persistent: whether MPI's own call could be taken, or why not
  bool by_model_ = true;            ///< by the communicator's model; else by what the user says of messages
  std::uint64_t feedback_runs_ = 0; ///< asked for
  const class feedback_run* tries_ = nullptr; ///< what runs, if it tries several ways
};

/// What all ranks have prepared together for a blocking call, and repeat alike.
struct prepared_call {
  call_signature signature;
  std::uint64_t send_buffer = 0, receive_buffer = 0; ///< for which it was made
  program steps;                                     ///< kept if the driver has to make them anew
  neighbor_operation operation;                      ///< without home, which owns this
  std::uint64_t last_use = 0;
};

class neighbor_communicator : public std::enable_shared_from_this<neighbor_communicator> {
public:
  /// The one of this communicator, made and attached if it is the first call. Local. Throws neighbor_error
  /// (no topology, environment) and mpi_error.
  static std::shared_ptr<neighbor_communicator> of(MPI_Comm comm);

  neighbor_communicator(MPI_Comm comm, const neighbor_options& options);
  ~neighbor_communicator();
  neighbor_communicator(const neighbor_communicator&) = delete;
  neighbor_communicator& operator=(const neighbor_communicator&) = delete;

  /// Not started. Blocking: waits until the communicator has been set up; else it may be returned before,
  /// and sets up when it is started. Throws neighbor_error, datatype_error, mpi_error.
  neighbor_operation operation(const neighbor_call& call, bool blocking);
  /// Reads options from `info`, for all later calls on the communicator. Collective. Throws neighbor_error,
  /// equal on all ranks, and mpi_error.
  static void set_info(MPI_Comm comm, MPI_Info info);

  /// Persistent. Collective, blocks. Errors are equal on all ranks.
  neighbor_operation persistent(const neighbor_call& call, MPI_Info info);

  /// Does now what the first operation would do. Collective, blocks. Throws as `operation`.
  void set_up() { finish_setup(); }

  const neighbors::neighborhood& edges() const { return edges_; }
  int rank() const { return rank_; }
  MPI_Comm comm() const { return setup_.ready() ? setup_.comm() : MPI_COMM_NULL; }
  /// The communicator is being freed. May block on the other ranks.
  void let_go();
  /// The tags of persistent operations are used up.
  bool worn_out() const { return operations_limit_ > 1 && next_operation_ >= operations_limit_; }

private:
  friend class neighbor_operation;
  friend class deferred_operation;
  friend class watched_call;
  static void attach(MPI_Comm comm, std::shared_ptr<neighbor_communicator> made);
  bool prepares_calls() const;
  neighbor_operation prepared_operation(const neighbor_call& call);
  std::shared_ptr<prepared_call> find_prepared(const neighbor_call& call);
  std::shared_ptr<prepared_call> prepare_call(const neighbor_call& call);
  void rebind_prepared(prepared_call& p, const neighbor_call& call);
  int notice_tag() const { return tags_per_operation_ - 1; }
  void announce_new_call();
  void look_for_notices();
  [[noreturn]] void refuse_notice(int rank, std::uint64_t call, bool answer);
  void begin_setup();
  void finish_setup();
  bool advance_setup();
  graphs::rank_plan plan_of(neighbors::neighbor_blocks blocks, const neighbors::neighbor_passes& passes,
                            bool sizes_known) const;
  program program_of(graphs::rank_plan plan, int operation) const;
  const neighbors::edge_rounds& rounds(const neighbors::neighbor_passes& passes) const;
  std::string order_remark(const neighbors::neighbor_passes& passes) const;
  std::string spread(graphs::rank_plan& plan, const neighbors::neighbor_passes& passes,
                     const graphs::message_cost& cost, std::uint64_t busiest, int base);
  struct offered_plans;
  offered_plans offer_plans(const neighbors::neighbor_blocks& blocks, bool same_block,
                            const neighbor_options& options, const neighbors::machine_costs& costs) const;
  graphs::rank_plan plan_by_edge(const neighbors::neighbor_blocks& blocks,
                                 neighbors::neighbor_passes passes) const;
  bool has_direct_form(const neighbors::neighbor_passes& passes) const;
  struct agreed_driver {
    const driver* chosen = nullptr;
    bool connects = false; ///< some rank has something to connect
  };
  agreed_driver agree_on_driver(const program& steps, const std::vector<const driver*>& wanted,
                                std::unique_ptr<connection>& peers, class agreement& all) const;
  struct agreed_program;
  /// `info`: of this operation; null: the options are those of the communicator.
  agreed_program agree_on_program(const neighbor_call& call, const MPI_Info* info,
                                  const neighbors::way* forced, int operation, class agreement& all);
  neighbor_options options_of_operation(MPI_Info info) const;
  /// `forced`: the way to take; null: the cheapest.
  neighbor_operation prepare_together(const neighbor_call& call, const MPI_Info* info, program* steps,
                                      const neighbors::way* forced = nullptr);
  neighbor_operation with_feedback(neighbor_operation predicted, const neighbor_call& call, MPI_Info info);
  neighbor_operation unlisted_operation(const neighbor_call& call, bool blocking);
  std::shared_ptr<cached_plan> find_plan(const neighbor_call& call);
  std::unique_ptr<execution> prepare(program p) const;
  cached_plan::execution_at execution_for(cached_plan& plan, std::ptrdiff_t reads, std::ptrdiff_t writes);
  void drop_oldest();

  int rank_ = 0, size_ = 1;
  std::shared_ptr<const neighbors::topology> topology_; ///< null: MPI's own
  neighbors::neighborhood edges_;
  neighbors::edge_rounds distances_;          ///< rounds where there is no coloring, or not yet
  std::unique_ptr<const agreed_model> model_; ///< from the first _init on
  neighbor_options options_;
  communicator_setup setup_;
  std::shared_ptr<own_communicators> own_comms_ = std::make_shared<own_communicators>();
  bool setup_begun_ = false;
  int tags_per_operation_ = 1, next_operation_ = 1, operations_limit_ = 1; ///< once set up
  std::vector<std::shared_ptr<cached_plan>> plans_;
  std::vector<std::shared_ptr<prepared_call>> prepared_;
  std::uint64_t prepared_calls_ = 0;     ///< made so far, equal on all ranks
  std::map<int, std::uint64_t> notices_; ///< of neighbors, not yet looked at
  std::uint64_t uses_ = 0;
  call_signature scratch_;                        ///< of the call at hand
  std::deque<class deferred_operation*> waiting_; ///< started before the communicator was set up
};

} // namespace tacit::runtime
