// What one rank executes: its steps, the groups its collectives run on, and its own computations.
#pragma once

#include "graphs/plan/plan.h"
#include "runtime/mpi/operators.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tacit::runtime {

/// A group of ranks, as ranks of the schedule's communicator, in group order.
struct rank_group {
  comm_id comm = world;
  std::vector<int> members;
};

struct program {
  int rank = 0; ///< this process in the schedule's communicator
  graphs::rank_plan plan;
  /// The groups of this rank's collectives, in the same relative order on every rank.
  std::vector<rank_group> groups;
  /// Every message is as long as its receive; another length is an error of the program, not a short message.
  bool exact_sizes = false;
  /// Once this rank has started a run, no other rank may have to wait for its calls of `progress`: what MPI
  /// does by itself must do. For a rank that goes on to wait in MPI, where nobody progresses the run.
  bool unattended = false;
  /// Every run uses the same user memory: nobody will move it.
  bool fixed_buffers = false;
  /// Small messages through shared memory have their flag in the line of the payload (channel/protocol.h).
  bool canary = true;
  /// Some user memory is, or will be after a move, in device memory: only MPI copies it (mpi/memory_kind.h).
  bool in_device = false;
  /// Runs an opaque operation of the graph (step_kind::call). Must not block on other ranks.
  std::function<void(op_id)> call;
  /// Those of this rank's reductions, by the numbers that its steps use.
  std::map<graphs::reducer_id, bound_reducer> reducers;

  const rank_group& group(comm_id comm) const;
};

/// The program of one rank, of its steps. Of the graph only the communicators are looked at.
program make_program(const graphs::graph& g, graphs::rank_plan steps, rank_id rank);

/// The program with all user memory that it reads `reads` bytes further, and all that it writes `writes`
/// bytes further; scratch memory stays.
program moved(program p, std::ptrdiff_t reads, std::ptrdiff_t writes);

/// Some of the rank's buffers are in device memory, which only MPI may copy (mpi/memory_kind.h). Local.
bool uses_device_memory(const program& p);

/// Why a driver that copies buffers by itself does not run such a program.
std::string why_not_in_device_memory();

/// "send of 64 B to rank 3", "bcast among 4 ranks, root 1, blocks of 64 B": how errors name a step.
std::string describe(const program& p, const graphs::step& s);

/// One line per kind of step: "2 messages sent (128 B), 1 allgather on world (4 x 64 B)".
std::string summarize(const program& p);

} // namespace tacit::runtime
