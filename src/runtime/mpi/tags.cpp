#include "runtime/mpi/tags.h"

namespace tacit::runtime {

int highest_tag(MPI_Comm comm) {
  int* limit = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &found);
  int begun = 0, over = 0; // Open MPI 4.1 tells the limit of all communicators only there
  MPI_Initialized(&begun);
  MPI_Finalized(&over); // sessions may go on
  if (!found && begun && !over)
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  return found ? *limit : 32767; // the least that MPI guarantees
}

} // namespace tacit::runtime
