#include <mpi.h>
void one_puts(MPI_Win w, int rank, long* x) {
  if (rank == 0) {
#pragma mpi osc_coalesce(w, b, long, MPI_LONG) collective
    {
      MPI_Put(x, 1, MPI_LONG, 1, 0, 1, MPI_LONG, w);
      MPI_Win_fence(0, w);
    }
  } else if (rank == 1) {
#pragma mpi osc_coalesce(w, b, long, MPI_LONG) collective
    MPI_Win_fence(0, w);
  } else {
#pragma mpi osc_coalesce(w, b, long, MPI_LONG) collective never
    {
      MPI_Put(x, 1, MPI_LONG, 1, rank, 1, MPI_LONG, w);
      MPI_Win_fence(0, w);
    }
  }
}
void jumps(MPI_Win w, int rank, long* x) {
#pragma mpi osc_coalesce(w, b, long, MPI_LONG) collective
  {
    if (rank)
      goto out;
    MPI_Put(x, 1, MPI_LONG, 1, 0, 1, MPI_LONG, w);
  out:
    MPI_Win_fence(0, w);
  }
}
void without_fence(MPI_Win w, int* x) {
#pragma mpi osc_coalesce(w, b, long, MPI_LONG) never
  MPI_Win_fence(0, w);
#pragma mpi osc_coalesce(w, b, long, MPI_LONG) collective
  ++*x;
}
// Who has nothing to collect, or shall not, comes to the fences like those that wait for it.
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
