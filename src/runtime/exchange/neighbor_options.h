// What the user may choose: driver and grouping, optimizations to leave out, and what messages cost.
#pragma once

#include "graphs/cost/message_cost.h"
#include "neighbors/passes/choice.h"
#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>

namespace tacit::runtime {

/// What the user says will stay the same, so that it is worth preparing: each level includes those before it.
enum class persistence : std::uint8_t {
  unsaid,
  none,     ///< nothing; messages as a program would post them
  topology, ///< the neighbors
  sizes,    ///< all ranks repeat their calls alike, with the same counts and datatypes
  buffers,  ///< and with the same buffers
};

struct neighbor_options {
  std::string driver;                        ///< empty: the cheapest (neighbors/passes/choice.h)
  std::optional<neighbors::grouping> blocks; ///< where it is possible; nothing: the cheapest
  neighbors::neighbor_passes passes;
  std::optional<graphs::message_cost> cost; ///< in place of the machine model
  std::uint64_t feedback = 0; ///< runs after which other variants are tried (run/tuned_run.h); 0: never
  persistence level = persistence::unsaid;
  /// TACIT_CHECK=1: the plans of all ranks are gathered and validated before they first run.
  bool check = false;
  /// Persistent operations make programs that run unattended (program::unattended).
  bool unattended = false;
  /// What this rank's user has said wrongly, if anything. The others must learn of it before it is reported.
  std::string fault;
};

/// Info keys tacit_driver, tacit_neighbor_grouping, tacit_neighbor_without, tacit_message_cost,
/// tacit_neighbor_feedback and tacit_persistent (info may be null), then the variables TACIT_DRIVER and so
/// on, which count more; `defaults` for what neither says. TACIT_PROGRESS says who progresses ("mpi" or
/// "waits"), TACIT_CHECK whether plans are checked ("1" or "0"). Throws neighbor_error naming key or variable
/// and what is allowed.
neighbor_options read_neighbor_options(MPI_Info info, const neighbor_options& defaults = {});

/// As options_of, but what it would throw becomes the fault.
neighbor_options options_or_fault(MPI_Comm comm);

/// From what MPI says the communicator's info is: libraries keep unknown keys of MPI_Dist_graph_create and
/// MPI_Comm_dup_with_info (Open MPI) or none at all (MPICH).
neighbor_options options_of(MPI_Comm comm);

/// Leaves out what needs more than the level says.
void limit_to_level(neighbors::neighbor_passes& passes, persistence level);

/// What all ranks say if the info keys of an operation or a communicator give them different words.
inline constexpr const char* info_keys_differ =
    "info keys tacit_driver, tacit_neighbor_grouping, tacit_neighbor_without, tacit_message_cost, "
    "tacit_neighbor_feedback or tacit_persistent differ between the ranks; give all ranks the same";

/// One word that differs if the options do.
std::uint64_t word_of(const neighbor_options& options);

} // namespace tacit::runtime
