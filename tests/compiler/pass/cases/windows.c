// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Memory may be in a window: as soon as a message tells another rank, it may write there. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

// CHECK-LABEL: define {{.*}}@expose(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void expose(double* b, MPI_Win* window) {
  MPI_Win_create(b, n * sizeof *b, sizeof *b, MPI_INFO_NULL, MPI_COMM_WORLD, window);
}
// CHECK-LABEL: define {{.*}}@send_then_barrier(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void send_then_barrier(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect}}
  MPI_Barrier(MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Barrier not moved: order is observable}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
// CHECK-LABEL: define {{.*}}@send_then_compute(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void send_then_compute(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  MPI_Barrier(MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Barrier not moved: order is observable}}
}
