#include <mpi.h>
// No exclusive lock is anywhere in the file, so that memory of the same node counts.
void shared_locks(MPI_Win win, MPI_Win second, int* x) {
#pragma mpi rma(win, buffer, int, MPI_INT) (second, buffer, int, MPI_INT)
  {
    MPI_Win_lock_all(0, win);
    MPI_Win_fence(0, second);
    MPI_Get(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, second);
    MPI_Win_fence(0, second);
    MPI_Win_unlock_all(win);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
