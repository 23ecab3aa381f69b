// RUN: env TACIT_OVERLAP=apply %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Collectives start only where the user promises it for the whole program. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

// CHECK-LABEL: define {{.*}}@could_start(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void could_start(double* restrict b, int peer) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast not moved: collective stays blocking}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  b[0] += 1;
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
