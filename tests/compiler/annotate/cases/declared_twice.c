#include <mpi.h>
extern MPI_Win win;
MPI_Win win;
void takes_another(MPI_Win other, int* x) {
#pragma mpi rma(win, x, int, MPI_INT)
  {
    MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    win = other;
    MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
  }
}
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
