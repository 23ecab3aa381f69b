#include <mpi.h>
void compute(double*);
void send(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(cc)
    compute(b);
  }
  int never_used;
}
// Transforming and compiling in one step, the compiler's warnings are said once, at their lines, and ours as well.
// RUN: %cc -Wunused-variable -Wno-unknown-pragmas -c %s -o %t.o 2>&1 >/dev/null | %said
