// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
/* Functions of the program that stand for MPI's, and what they call, stay as they are. */
#include <mpi.h>

enum { n = 4096 };
extern double work[n];
extern double a[n], b[n];

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-NOT: call {{.*}}@__tacit_
int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const int error = MPI_Send(buffer, count, type, dest, tag, comm);
  // expected-remark@-1 {{this function stands for MPI's in the program}}
  COMPUTE;
  return error;
}
void passes_tools_by(int peer) {
  MPI_Request r;
  PMPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{a call that passes tools by}}
  COMPUTE;
  PMPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{a call that passes tools by}}
  MPI_Irecv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  PMPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{a call that passes tools by}}
  COMPUTE;
}
/* MPI has no such function: the name alone says nothing. */
// CHECK-LABEL: @mpi_exchange_(
// CHECK: call {{.*}}@__tacit_
void mpi_exchange_(int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  COMPUTE;
}
