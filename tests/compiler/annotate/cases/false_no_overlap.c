#include <mpi.h>
void twice(MPI_Win w, MPI_Win v, int* x) {
#pragma mpi osc_coalesce(w, b, int, MPI_INT) no_overlap
  {
    MPI_Put(x, 1, MPI_INT, 0, 4, 1, MPI_INT, w);
    MPI_Put(x, 1, MPI_INT, 0, 2 * 2, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Put(x, 1, MPI_INT, 0, 4, 1, MPI_INT, w);
  }
#pragma mpi local_ldst(w, b, int, MPI_INT) (v, b, int, MPI_INT) no_overlap
  x[0] = 1;
}
// RUN: not %transform --diff %s 2>&1 >/dev/null | %said
void of_nothing(MPI_Win w, int* x) {
#pragma mpi osc_coalesce(w, b, int, MPI_INT) no_overlap
  {
    MPI_Put(x, 1, MPI_INT, MPI_PROC_NULL, 4, 1, MPI_INT, w);
    MPI_Put(x, 1, MPI_INT, MPI_PROC_NULL, 4, 1, MPI_INT, w);
    MPI_Put(x, 0, MPI_INT, 0, 4, 0, MPI_INT, w);
    MPI_Put(x, 0, MPI_INT, 0, 4, 0, MPI_INT, w);
  }
}
