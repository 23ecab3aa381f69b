// RUN: env TACIT_OVERLAP=apply %cc -O2 -S -emit-llvm %s -o - | %check
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_DISABLE=copy,poke,hoist %cc -O2 -S -emit-llvm %s -o - | %check --check-prefix=WITHOUT
// RUN: env TACIT_OVERLAP=apply %cc -O2 -fplugin=%plugin -mllvm -tacit-overlap-disable=copy,poke,hoist -S -emit-llvm %s -o - | %check --check-prefix=WITHOUT
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_DISABLE=pokes %cc -O2 -S -emit-llvm %s -o %t.ll 2>&1 | %check --check-prefix=UNKNOWN
/* Stages that are left out by name. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;
// UNKNOWN: pokes", but must be names out of inline, hoist

// CHECK-LABEL: define {{.*}}@packed_again(
// CHECK: call {{.*}}@__tacit_send_renamed(
// WITHOUT-LABEL: define {{.*}}@packed_again(
// WITHOUT-NOT: call {{.*}}@__tacit_
// WITHOUT: {{^[}]}}
void packed_again(double* restrict b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  b[0] = 1;
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
// CHECK-LABEL: define {{.*}}@computes_behind(
// CHECK: call {{.*}}@__tacit_poke(
// WITHOUT-LABEL: define {{.*}}@computes_behind(
// WITHOUT: call {{.*}}@__tacit_recv(
// WITHOUT-NOT: call {{.*}}@__tacit_poke(
// WITHOUT: {{^[}]}}
void computes_behind(double* restrict b, double* restrict w, int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 256 * n; i++)
    w[i] = w[i] * 1.5 + i;
  w[0] += b[0];
}
