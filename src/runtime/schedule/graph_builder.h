// One rank's part of a communication graph while its program adds to it.
//
// A builder refuses what can be seen to be wrong on one rank: peers and tags that do not exist, buffers that
// no program has, dependencies on what comes later. It throws a call_error and adds nothing then. All that
// needs other ranks (does every send have its receive?) is found by the compilation. Nothing is read from or
// written to a buffer here.
#pragma once

#include "runtime/mpi/operators.h"
#include "runtime/schedule/local_graph.h"
#include "runtime/schedule/watched_communicator.h"

#include <functional>
#include <map>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// An operator of the program that all ranks of a graph have, on one datatype (graph_operators.h).
struct shared_operator {
  MPI_Datatype type = MPI_DATATYPE_NULL; ///< the program's handle; `bound` has one of its own
  bound_reducer bound;
  graphs::reducer reducer; ///< equal on all ranks when they have agreed
  bool known = false;      ///< all ranks have it without an agreement: MPI's own, on a type that tacit knows
};

class graph_builder {
public:
  using bytes = std::vector<graphs::segment>;
  using computation = std::function<void()>;
  static constexpr int whole_graph = 0; ///< the communicator of the graph itself, among those it knows

  /// An empty graph on an intracommunicator, which the program may free at any time. Local.
  explicit graph_builder(MPI_Comm comm);

  // Operations; each returns its number: 0, 1, 2 … in order of creation. `on` is whole_graph, or what
  // add_communicator (graph_communicators.h) returned, and `to` and `from` are ranks in it. MPI_PROC_NULL
  // makes an operation that does nothing. Local.
  int send(bytes what, int to, int tag, int on = whole_graph);
  int recv(bytes into, int from, int tag, int on = whole_graph);
  /// A reduction: `into` = `from` ⊕ `into`; both hold whole elements of `type`.
  int reduce(bytes from, bytes into, MPI_Op operation, MPI_Datatype type);
  /// A receive that combines its message, as the left operand, with what is in `into`.
  int recv_reduce(bytes into, MPI_Op operation, MPI_Datatype type, int from, int tag, int on = whole_graph);
  int put(bytes what, int target, bytes there);
  int get(bytes into, int target, bytes there);
  int copy(bytes from, bytes into);
  /// `work` is called each time the schedule runs; it touches no other bytes than these.
  int compute(computation work, bytes reads, bytes writes);
  int fence(int on = whole_graph);
  /// An operation that does nothing, after all that were added before and before all that are added later.
  int stage();

  /// `before` has completed before `after` starts. Local, as the declarations are.
  void depend(int before, int after);
  void scratch(const bytes& what);
  void live_out(const bytes& what);

  /// Makes a further communicator known and returns its number here, 1 or more. Local: the members agree
  /// before (graph_communicators.h).
  int know(local_communicator made);
  /// Makes room for one more, so that `know` cannot fail.
  void expect_communicator() { values_.communicators.reserve(values_.communicators.size() + 1); }
  /// An operator as this rank sees it, and room for it, so that `share` cannot fail.
  shared_operator expect_operator(MPI_Op operation, MPI_Datatype type);
  /// What combines by this operator on elements of this type combines from now on by one that all ranks have. Local: they agree
  /// before (graph_operators.h).
  void share(shared_operator agreed);
  std::size_t shared_operators() const { return shared_.size(); }

  /// MPI_COMM_NULL if the program has freed it.
  MPI_Comm comm() const { return comm_.get(); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  const local_graph& values() const { return values_; }
  /// What two graphs must have in common if one may run with the other's operators: the handles of MPI, which values_ does not
  /// have. A datatype of the program's own is another one in each graph, because its handle may have been given anew.
  std::vector<std::uint64_t> reducer_identities() const;
  const bound_reducer& reducer_of(int number) const { return reducers_.at(static_cast<std::size_t>(number)); }
  const computation& computation_of(int operation) const { return computations_.at(operation); }

private:
  int add(local_operation made);
  void make_room_for_dependencies(std::size_t more);
  std::int32_t know_reducer(MPI_Op operation, MPI_Datatype type);
  local_operation message(local_kind kind, int peer, int tag, int on) const;
  int add_one_sided(local_kind kind, int target, bytes reads, bytes writes);
  const std::vector<int>& members_of(int on) const;

  watched_communicator comm_;
  int rank_ = 0, size_ = 1;
  local_graph values_;
  std::map<int, computation> computations_;
  int last_stage_ = -1;                 ///< the operation that all later ones wait for
  std::vector<bound_reducer> reducers_; ///< the handles of values_.reducers
  struct shared_reducer {
    MPI_Datatype type; ///< the program's handle
    std::int32_t number;
  };
  std::vector<shared_reducer> shared_; ///< those of reducers_ that all ranks have by agreement
};

/// The bytes of a buffer that the program describes as MPI does; `what` names it in errors.
graph_builder::bytes bytes_of(const char* what, const void* buffer, MPI_Count count, MPI_Datatype type);
/// Several buffers at absolute addresses as one, in their order.
graph_builder::bytes bytes_of_pieces(const char* what, int pieces, const MPI_Aint* addresses,
                                     const MPI_Count* counts, const MPI_Datatype* types);

} // namespace tacit::runtime
