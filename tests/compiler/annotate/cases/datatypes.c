#include <mpi.h>
#define SIX MPI_INT
MPI_Datatype seven;
void known(MPI_Win win, int* x, MPI_Datatype eight) {
  MPI_Datatype nine = MPI_INT;
#pragma mpi rma(win, x, int, SIX)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#pragma mpi rma(win, x, int, seven)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#pragma mpi rma(win, x, int, eight)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#pragma mpi rma(win, x, int, nine)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
}
#ifdef MISSPELLED
void misspelled(MPI_Win win, int* x) {
#pragma mpi rma(win, x, int, MPI_IMT)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#pragma mpi local_ldst(win, x, int, nobody) no_overlap
  {
    MPI_Win_lock(2, 0, 0, win);
    x[0] = 1;
    MPI_Win_unlock(0, win);
  }
}
#endif
// RUN: %transform --diff %s 2>&1 >/dev/null | %said=KNOWN
// RUN: not %transform -q --diff %s -- -DMISSPELLED 2>&1 >/dev/null | %said
