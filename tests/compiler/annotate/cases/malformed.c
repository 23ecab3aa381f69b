#include <mpi.h>
void f(int x) {
#pragma mpi indpe MPI_Send(c)
  x++;
  {
#pragma mpi cco MPI_Send(MPI_COMM_WORLD) \
    MPI_Rcv(c)
    x--;
  }
  _Pragma("mpi rma(w, b)") x++;
#pragma mpi indep MPI_Send
}
// RUN: not %transform --diff %s 2>&1 >/dev/null | %said
