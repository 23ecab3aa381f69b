// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Algorithm 2 of the seed: beyond the loop of the wait, and sending from copies where a buffer is packed
 * again at once. */
#include <mpi.h>
#include <unistd.h>

enum { n = 4096 };
extern double* work;
void unknown(void);

// CHECK-LABEL: define {{.*}}@into_the_next_iteration(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_send(
void into_the_next_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send split}}
  }
}
// CHECK-LABEL: define {{.*}}@another_buffer_in_each_iteration(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_send(
void another_buffer_in_each_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
    MPI_Send(b + step, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send split}}
  }
}
// CHECK-LABEL: define {{.*}}@packed_again_at_once(
// CHECK: call {{.*}}@__tacit_send_renamed(
void packed_again_at_once(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      b[i] = work[i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send sent from a copy}}
  }
}
