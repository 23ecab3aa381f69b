// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 -DNAME=mpi_comm_set_errhandler_ %verify %s -o %t.ll
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 -DNAME=mpi_comm_set_errhandler_f08_ %verify %s -o %t.ll
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 -DNAME=pmpi_errhandler_set__ %verify %s -o %t.ll
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 -DNAME=_QMmpi_f08Pmpi_win_set_errhandler_f08 %verify %s -o %t.ll
/* A file that sets an error handler, by whatever name, and looks at an error code. */
#include <mpi.h>
#ifndef NAME
#define NAME PMPI_Comm_set_errhandler
#else
void NAME(MPI_Comm, MPI_Errhandler);
#endif

enum { n = 4096 };
extern double* work;
double a[n];

void set(void) {
  NAME(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}
int receive(int peer) {
  int error = MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: error code is used}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  return error;
}
