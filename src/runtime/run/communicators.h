// Communicators of a schedule's groups. Making them is the only collective part of preparing a schedule, so
// it stands apart: everything else that can fail on one rank alone fails while no other rank waits for it.
#pragma once

#include "runtime/run/driver.h"

#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// One communicator per group of a program. Life: constructor (local), create (collective), destructor
/// (collective, if create was called).
class group_communicators : public connection {
public:
  /// `comm` must return errors and outlive this. Throws mpi_error and std::bad_alloc; local.
  group_communicators(const program& p, MPI_Comm comm);
  ~group_communicators() override;
  /// Collective over each group; the group of all ranks in order uses the schedule's communicator. A failure
  /// does not end the attempt, because members of later groups wait; the first one is thrown when all groups
  /// have been tried (mpi_error).
  void create() override;
  MPI_Comm of(comm_id comm) const;

private:
  struct entry {
    comm_id id = world;
    MPI_Group members = MPI_GROUP_NULL; ///< null: all ranks in order
    MPI_Comm comm = MPI_COMM_NULL;
  };
  void free_all();

  MPI_Comm parent_ = MPI_COMM_NULL;
  std::vector<entry> entries_; ///< in the same relative order on all ranks
};

} // namespace tacit::runtime
