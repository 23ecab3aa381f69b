#include <mpi.h>
void compute(double*);
void send(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    compute(b);
  }
}
// Lines that are added end as all others do.
// RUN: sed 's/$/\r/' %s > %t.c && %transform -q %t.c -- -O1 > %t.out && grep MPI_Wait %t.out
// RUN: tr -cd '\n' < %t.out > %t.ends && tr -cd '\r' < %t.out | tr '\r' '\n' > %t.returns && cmp %t.ends %t.returns
// RUN: %transform -q %s -- -O1 | tr -cd '\r' > %t.plain && test ! -s %t.plain
