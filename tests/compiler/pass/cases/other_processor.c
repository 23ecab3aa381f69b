// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* A routine for another processor is not inlined into one that must run on all. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

__attribute__((target("avx2"))) void send_rotated(double* b, int peer) {
  for (int i = 0; i < n; i++)
    b[i] = work[i] * 2;
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: function returns}}
}
void send_and_compute(double* b, int peer) {
  send_rotated(b, peer);
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
