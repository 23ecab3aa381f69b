// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
/* A function without effects that may never return: nothing completes behind it, and nothing is posted in front of it. */
#include <mpi.h>

enum { n = 4096 };
extern double work[n];
extern double a[n];

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

static __attribute__((noinline)) int stops(int x) {
  if (x > 3)
    for (;;)
      ;
  return x * 7;
}
// CHECK-LABEL: define {{.*}}@parked(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: call {{.*}}@stops(
int parked(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (stops calls a loop that may never end}}
  const int y = stops(peer);
  COMPUTE;
  return y;
}
// CHECK-LABEL: define {{.*}}@posted_behind(
// CHECK: call {{.*}}@stops(
// CHECK: call {{.*}}@MPI_Irecv(
int posted_behind(int peer, MPI_Request* request) {
  const int y = stops(peer);
  MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, request);
  return y;
}
