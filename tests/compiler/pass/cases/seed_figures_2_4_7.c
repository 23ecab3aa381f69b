// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Figures 2, 4 and 7: give3 packs and sends with blocking sends, take3 reads what the neighbours sent. */
#include <mpi.h>

enum { n = 4096 };
static double buff[4][n], u[n];

static inline void ready(int direction, int from, MPI_Request* request) {
  MPI_Irecv(buff[direction], n, MPI_DOUBLE, from, direction, MPI_COMM_WORLD, request);
}

static inline void give3(int condition, int to_left, int to_right) {
  if (condition) {
    for (int i = 0; i < n; i++)
      buff[2][i] = u[i];
    MPI_Send(buff[2], n, MPI_DOUBLE, to_left, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send split}}
  }
  if (condition > 1) {
    for (int i = 0; i < n; i++)
      buff[3][i] = u[i] * 2;
    MPI_Send(buff[3], n, MPI_DOUBLE, to_right, 1, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send split}}
  }
}

static inline void take3(int direction, MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
  for (int i = 0; i < n; i++)
    u[i] += buff[direction][i];
}

// CHECK-LABEL: define {{.*}}@comm3(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_poke(
void comm3(int axes, int condition, int left, int right) {
  for (int axis = 0; axis < axes; axis++) {
    MPI_Request requests[2];
    ready(0, left, &requests[0]);
    ready(1, right, &requests[1]);
    give3(condition, left, right);
    take3(0, &requests[0]);
    take3(1, &requests[1]);
  }
}
