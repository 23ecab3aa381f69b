// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Waits for received data inside the loop that uses them: before the first iteration that needs them. */
#include <mpi.h>
#include <stdlib.h>

enum { m = 512 };
extern double* work;

/* The halo below is needed in the last row only. */
// CHECK-LABEL: define {{.*}}@row_below(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_until(
void row_below(double* restrict to, double* restrict from, int rows, int below) {
  MPI_Request r;
  MPI_Irecv(&from[(rows + 1) * m], m, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait moved}}
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j < m - 1; j++)
      to[i * m + j] =
          from[(i - 1) * m + j] + from[(i + 1) * m + j] + from[i * m + j - 1] + from[i * m + j + 1];
}
/* The loop runs towards the halo above. */
// CHECK-LABEL: define {{.*}}@row_above(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_until(
void row_above(double* restrict to, double* restrict from, int rows, int above) {
  MPI_Request r;
  MPI_Irecv(from, m, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait moved}}
  for (int i = rows; i > 0; i--)
    for (int j = 1; j < m - 1; j++)
      to[i * m + j] = from[(i - 1) * m + j] + from[(i + 1) * m + j];
}
/* Two halos and two sends at once. */
// CHECK-LABEL: define {{.*}}@both(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer_element(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_until(
void both(double* restrict to, double* restrict from, int rows, int above, int below) {
  MPI_Request r[4];
  MPI_Irecv(from, m, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&from[(rows + 1) * m], m, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(&from[m], m, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(&from[rows * m], m, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall: 4 of 4 moved}}
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j < m - 1; j++)
      to[i * m + j] = from[(i - 1) * m + j] + from[(i + 1) * m + j];
}
// CHECK-LABEL: define {{.*}}@second_block(
// CHECK: call {{.*}}@__tacit_recv(
// CHECK: call {{.*}}@__tacit_until(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void second_block(double* restrict sums, double* restrict in, int blocks, int peer) {
  MPI_Recv(&in[m], m, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  for (int b = 0; b < blocks; b++)
    for (int j = 0; j < m; j++)
      sums[b] += in[b * m + j];
}

/* The first iteration needs the data. */
// CHECK-LABEL: define {{.*}}@first_row(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void first_row(double* restrict to, double* restrict from, int rows, int peer) {
  MPI_Recv(from, m, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < m; j++)
      to[i * m + j] = from[i * m + j];
}
/* Which iteration needs them is not known before. */
// CHECK-LABEL: define {{.*}}@through_an_index(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void through_an_index(double* restrict to, double* restrict from, const int* restrict index, int rows,
                      int peer) {
  MPI_Recv(&from[rows], m, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
  for (int i = 0; i < rows; i++)
    to[i] = from[index[i]];
}
/* An iteration may leave the loop, or tell others. */
// CHECK-LABEL: define {{.*}}@sends_each_row(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void sends_each_row(double* restrict to, double* restrict from, int peer) {
  enum { rows = 100 };
  MPI_Recv(&from[rows * m], m, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: order is observable}}
  for (int i = 0; i <= rows; i++) {
    for (int j = 0; j < m; j++)
      to[j] = from[i * m + j] * 2;
    MPI_Ssend(to, m, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Ssend not moved: synchronous send}}
  }
}
/* Several buffers, used one after the other. */
// CHECK-LABEL: define {{.*}}@one_by_one(
// CHECK: call {{.*}}@__tacit_defer_element(
// CHECK: call {{.*}}@__tacit_wait(
void one_by_one(double* restrict u, double* restrict a, double* restrict b, int left, int right) {
  MPI_Request r[2];
  MPI_Irecv(a, m, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(b, m, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall: 1 of 2 moved}}
  for (int j = 0; j < m; j++)
    u[j] += a[j];
  for (int j = 0; j < m; j++)
    u[j] *= b[j] + 2;
}
/* So many neighbours as there are: each message is completed when the loop comes to it. */
// CHECK-LABEL: define {{.*}}@all_neighbours(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer_all(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_until(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void all_neighbours(double* restrict u, double* restrict in, const int* restrict peers, int count) {
  if (count < 1)
    __builtin_unreachable();
  MPI_Request* r = malloc(sizeof *r * 2 * count);
  double* out = in + count * m;
  for (int k = 0; k < count; k++)
    MPI_Irecv(in + k * m, m, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &r[k]);
  for (int k = 0; k < count; k++)
    MPI_Isend(out + k * m, m, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &r[count + k]);
  MPI_Waitall(2 * count, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall moved}}
  for (int k = 0; k < count; k++)
    for (int j = 0; j < m; j++)
      u[j] += in[k * m + j] * 2;
  free(r);
}
/* What is reallocated may hold requests already. */
// CHECK-LABEL: define {{.*}}@grown_array(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void grown_array(double* restrict u, double* restrict in, const int* restrict peers, int count,
                 MPI_Request* old) {
  if (count < 1)
    __builtin_unreachable();
  MPI_Request* r = realloc(old, sizeof *r * count * 2);
  for (int k = 0; k < count; k++)
    MPI_Irecv(in + k * m, m, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &r[count + k]);
  MPI_Waitall(2 * count, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall not moved: request not followed}}
  for (int j = 0; j < m; j++)
    u[j] += 2;
  free(r);
}
