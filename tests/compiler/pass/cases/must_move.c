// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* What satisfies the eight conditions, each near one of must_not_move.c: everything marked here has to move.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096 };
extern double* work;

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-LABEL: define {{.*}}@split_send(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void split_send(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@split_receive(
// CHECK: call {{.*}}@__tacit_recv(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void split_receive(double* b, int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@split_both(
// CHECK: call {{.*}}@__tacit_sendrecv(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void split_both(double* restrict b, double* restrict c, int peer) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Sendrecv(b, n, MPI_DOUBLE, peer, 0, c, n, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Sendrecv split}}
  for (int i = 0; i < n; i++)
    work[i] += c[i];
}
// CHECK-LABEL: define {{.*}}@dead_status(
// CHECK: call {{.*}}@__tacit_recv(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void dead_status(double* b, int peer) {
  MPI_Status s;
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &s);
  // expected-remark@-1 {{MPI_Recv split}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@mathematics_between(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void mathematics_between(double* restrict b, int peer, double* restrict out) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < n; i++)
    out[i] = pow(out[i], 3) + sin(out[i]);
}
// CHECK-LABEL: define {{.*}}@second_send_of_the_buffer(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void second_send_of_the_buffer(double* b, int peer, int other) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  MPI_Send(b, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@wait_too_early(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer_element(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void wait_too_early(double* b, double* restrict c, int peer) {
  MPI_Request r[2];
  MPI_Irecv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(c, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall: 2 of 2 moved}}
  COMPUTE;
  for (int i = 0; i < n; i++)
    work[i] += b[i];
}
// CHECK-LABEL: define {{.*}}@array_filled_in_a_loop(
// CHECK: call {{.*}}@__tacit_defer_all(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void array_filled_in_a_loop(double* b, int peers, const int* peer) {
  MPI_Request r[64];
  for (int k = 0; k < peers; k++)
    MPI_Isend(b, n, MPI_DOUBLE, peer[k], 0, MPI_COMM_WORLD, &r[k]);
  MPI_Waitall(peers, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall moved}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@persistent(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_defer_started(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
void persistent(double* restrict b, int steps, int peer) {
  MPI_Request r;
  MPI_Send_init(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      b[i] = work[i];
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait moved}}
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
  }
  MPI_Request_free(&r);
}
// CHECK-LABEL: define {{.*}}@columns_of_one_array(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void columns_of_one_array(double (*grid)[n], int mine, int peer) {
  MPI_Send(grid[mine], n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < n; i++)
    grid[mine + 1][i] = i;
  COMPUTE;
}
