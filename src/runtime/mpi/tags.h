#pragma once

#include "runtime/mpi/mpi_error.h"

#include <mpi.h>

namespace tacit::runtime {

/// The highest tag of a communicator: messages of plans stay below its half (tags_fit). Local.
int highest_tag(MPI_Comm comm);

/// A tag below that half which no message ever has. Local.
inline int tag_of_nothing(MPI_Comm comm) {
  return highest_tag(comm) / 2 - 1;
}

/// Lets MPI serve other ranks where this one waits for what it sees in memory. MPI_Iprobe progresses only if
/// it finds nothing (MPICH 4.0.2 and Open MPI 4.1.4 return with the message before they would), so it must
/// not ask for any tag: a message of the next run may lie there already, while the rank that put into this
/// one's memory waits for this one to take it.
class library_probe {
public:
  explicit library_probe(MPI_Comm comm) : comm_(comm), tag_(tag_of_nothing(comm)) {}
  /// Throws mpi_error.
  void operator()() const {
    int there = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  }

private:
  MPI_Comm comm_;
  int tag_;
};

} // namespace tacit::runtime
