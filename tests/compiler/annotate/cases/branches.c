#include <mpi.h>

int fences_in_branches(MPI_Win win, int* x, int n) {
  int code = 0;
#pragma mpi rma(win, buffer, int, MPI_INT)
  {
    MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (n > 3)
      MPI_Win_fence(0, win);
    else
      code = MPI_Win_fence(0, win);
    do
      MPI_Win_flush(0, win);
    while (--n > 0);
    switch (n) {
    case 1:
      MPI_Win_unlock(0, win);
    }
    if (MPI_Win_fence(0, win) != MPI_SUCCESS)
      code = 1;
  }
  return code;
}
// RUN: %transform --diff %s 2>/dev/null | %changes
