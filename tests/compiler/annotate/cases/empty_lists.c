// The paper's grammar has empty lists; who writes one hears that it does nothing. Names that are suggested are names, and resemble what was written.
#include <mpi.h>
void f(MPI_Comm comm, double* s, int n) {
#pragma mpi cco
  MPI_Send(s, n, MPI_DOUBLE, 0, 0, comm);
#pragma mpi local_ldst no_overlap
  n++;
#pragma mpi cco MPI_Send(x)
  MPI_Send(s, n, MPI_DOUBLE, 0, 0, comm);
#pragma mpi cco MPI_Send(com)
  MPI_Send(s, n, MPI_DOUBLE, 0, 0, comm);
}
// RUN: %transform %s 2>/dev/null | cmp - %s
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
