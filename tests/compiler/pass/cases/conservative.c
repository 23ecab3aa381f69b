// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=conservative %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=conservative %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Algorithm 1 of the seed keeps a wait inside the loop that it stands in. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

// CHECK-LABEL: define {{.*}}@until_the_end_of_the_iteration(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void until_the_end_of_the_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send split}}
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
  }
}
// CHECK-LABEL: define {{.*}}@nothing_left_in_the_iteration(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void nothing_left_in_the_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send not moved: end of the loop}}
  }
}
/* The two messages are under way together, although nothing is computed meanwhile. */
// CHECK-LABEL: define {{.*}}@two_messages(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait(
void two_messages(double* restrict a, double* restrict b, int steps, int peer, int other) {
  for (int step = 0; step < steps; step++) {
    a[step] = b[step] = step;
    if (peer >= 0)
      MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send split}}
    if (other >= 0)
      MPI_Send(b, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send not moved: end of the loop}}
  }
}
/* Waiting for what was posted before gains nothing. */
// CHECK-LABEL: define {{.*}}@two_waits(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void two_waits(double* restrict a, double* restrict b, double* restrict sum, int steps, int peer, int other) {
  for (int step = 0; step < steps; step++) {
    MPI_Request first, second;
    MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &first);
    MPI_Irecv(b, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &second);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
    *sum += a[0] + b[0];
  }
}
