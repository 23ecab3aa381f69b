// RUN: env TACIT_OVERLAP=apply %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* The figures of seed 001, with routines that are inlined as the seed wants. */
#include <mpi.h>

enum { n = 4096 };
static double buff[4][n], in_buffer[n], out_buffer[n], lhs[n], rhs[n];

/* Figure 3: two posts for one wait, and a write to the buffer behind it. */
// CHECK-LABEL: define {{.*}}@figure_3(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void figure_3(double* b, double* work, int which, int peer) {
  MPI_Request r;
  if (which)
    MPI_Isend(b, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &r);
  else
    MPI_Isend(b, n, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait moved}}
  for (int i = 0; i < n; i++)
    lhs[i] = work[i] * 2;
  b[0] = 1;
}

/* Figure 1: in each stage the wait for the send of the stage before stands before the work of this one. */
// CHECK-LABEL: define {{.*}}@figure_1(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void figure_1(int ncells, int successor, int predecessor) {
  MPI_Request send_id = MPI_REQUEST_NULL, recv_id;
  for (int stage = 1; stage <= ncells; stage++) {
    if (stage != 1) {
      MPI_Irecv(out_buffer, n, MPI_DOUBLE, predecessor, 1, MPI_COMM_WORLD, &recv_id);
      MPI_Wait(&send_id, MPI_STATUS_IGNORE);
      // expected-remark@-1 {{MPI_Wait moved}}
      MPI_Wait(&recv_id, MPI_STATUS_IGNORE);
      // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
      for (int i = 0; i < n; i++)
        rhs[i] = lhs[i] + out_buffer[i];
    }
    for (int i = 0; i < n; i++)
      lhs[i] = rhs[i] / 3;
    if (stage != ncells) {
      for (int i = 0; i < n; i++)
        in_buffer[i] = lhs[i];
      MPI_Isend(in_buffer, n, MPI_DOUBLE, successor, 1, MPI_COMM_WORLD, &send_id);
    }
  }
}
