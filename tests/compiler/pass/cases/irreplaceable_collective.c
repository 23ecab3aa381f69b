// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_COLLECTIVES=on not %cc -O0 -c %s -o %t.o 2>&1 | %check
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_COLLECTIVES=on not %cc -O1 -c %s -o %t.o 2>&1 | %check
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_COLLECTIVES=on not %cc -O2 -c %s -o %t.o 2>&1 | %check
/* What cannot be replaced is an error. */
#include <mpi.h>
int MPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
// CHECK: MPI_Scatter is the program's own
// CHECK-SAME: [TACIT-117]
int MPI_Scatter(const void* a, int m, MPI_Datatype t, void* b, int n, MPI_Datatype u, int root,
                MPI_Comm comm) {
  return PMPI_Scatter(a, m, t, b, n, u, root, comm);
}
// CHECK: MPI_Ibcast is the program's own
// CHECK-SAME: [TACIT-117]
int MPI_Ibcast(void* a, int m, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ibcast(a, m, t, root, comm, request);
}
// CHECK: MPI_Bcast_c has large counts
// CHECK-SAME: [TACIT-117]
void f(int* a) {
  MPI_Bcast_c(a, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
