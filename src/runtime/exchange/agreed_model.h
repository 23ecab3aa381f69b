// What the ranks of a communicator believe about the machine and its MPI library, the same on all of them.
//
// Choices that all ranks must make alike follow from it, but every host has its own file, or none, and files
// change while programs run. So rank 0 reads, once per process, and tells the others, once per communicator:
// a reduction that finds out whether all are on one node, and a broadcast of some KiB. Where nodes differ in
// speed, all go by rank 0's.
#pragma once

#include "graphs/cost/machine_costs.h"
#include "graphs/platform/selftest_verdict.h"
#include "neighbors/passes/aggregate.h"
#include "runtime/mpi/agreement.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::runtime {

struct agreed_model {
  graphs::machine_costs costs;
  bool one_node = true;
  neighbors::node_map nodes; ///< unless all are on one node
  std::vector<std::uint64_t>
      caches;         ///< of all ranks (channel/last_caches.h), where they have prices; else empty
  std::string origin; ///< for people: where the numbers are from, or why the defaults were taken
  graphs::selftest_verdict native_calls; ///< on MPI's native calls, of the kind that native_call.h uses

  graphs::pair_class class_of(int rank, rank_id other) const {
    const bool together =
        one_node || nodes.node_of[static_cast<std::size_t>(rank)] == nodes.node_of[index(other)];
    if (!together)
      return graphs::pair_class::other_node;
    return graphs::share_no_cache(caches, static_cast<std::size_t>(rank), index(other))
               ? graphs::pair_class::other_cache
               : graphs::pair_class::same_node;
  }
};

/// Collective. The file is the one that TACIT_PLATFORM names, or the one that `tacit platform` keeps; between
/// nodes and between caches, the one it keeps for such pairs. The verdict is the one that `tacit selftest` keeps. Throws what
/// `all` does, and then only.
std::unique_ptr<agreed_model> agree_on_model(int rank, int size, MPI_Comm comm, agreement& all);

} // namespace tacit::runtime
