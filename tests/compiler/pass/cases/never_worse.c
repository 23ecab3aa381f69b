// RUN: env TACIT_OVERLAP=off %cc -O2 -g -DONLY_IN_VAIN -S -emit-llvm %s -o %t.off.ll
// RUN: env TACIT_OVERLAP=apply %cc -O2 -g -DONLY_IN_VAIN -S -emit-llvm %s -o %t.apply.ll
// RUN: diff %t.off.ll %t.apply.ll
// RUN: env TACIT_OVERLAP=off %cc -O2 -DONLY_IN_VAIN -c %s -o %t.off.o
// RUN: env TACIT_OVERLAP=apply %cc -O2 -DONLY_IN_VAIN -c %s -o %t.apply.o
// RUN: cmp %t.off.o %t.apply.o
// RUN: env TACIT_OVERLAP=apply %cc -O2 -S -emit-llvm %s -o - | %check
// RUN: env TACIT_OVERLAP=apply %cc -O2 -Rpass=mpi-overlap -Rpass-missed=mpi-overlap -S -emit-llvm %s -o %t.ll 2>&1 | %check --check-prefix=REMARK
/* Inlining that gains nothing is undone: where nothing moves, in a module with hundreds of routines that would be inlined
 * to see whether it does, the code is the same to the last byte. Where one caller gains, only that one gets a copy. */
#include <mpi.h>

enum { n = 4096 };
extern double *work, *inbox, *outbox;
void look_at(double*);

// Routines with messages, too large for LLVM's inliner and small enough for ours; their callers touch the buffers at once.
#define FOUR(what) what what what what
#define IN_VAIN(number)                                                                                      \
  static void post_##number(double* into, double* out, int peer, MPI_Request* both) {                        \
    FOUR(FOUR(look_at(work);))                                                                               \
    MPI_Irecv(into, n, MPI_DOUBLE, peer, number, MPI_COMM_WORLD, &both[0]);                                  \
    MPI_Isend(out, n, MPI_DOUBLE, peer, number, MPI_COMM_WORLD, &both[1]);                                   \
  }                                                                                                          \
  static void finish_##number(MPI_Request* both) {                                                           \
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);                                                               \
    FOUR(FOUR(look_at(inbox);))                                                                              \
  }                                                                                                          \
  void exchange_##number(int peer, int times) {                                                              \
    for (int k = 0; k < times; k++) {                                                                        \
      MPI_Request both[2];                                                                                   \
      post_##number(inbox, outbox, peer, both);                                                              \
      finish_##number(both);                                                                                 \
      post_##number(outbox, inbox, peer + 1, both);                                                          \
      finish_##number(both);                                                                                 \
    }                                                                                                        \
  }
#define TEN(number)                                                                                          \
  IN_VAIN(number##0);                                                                                        \
  IN_VAIN(number##1);                                                                                        \
  IN_VAIN(number##2);                                                                                        \
  IN_VAIN(number##3);                                                                                        \
  IN_VAIN(number##4);                                                                                        \
  IN_VAIN(number##5);                                                                                        \
  IN_VAIN(number##6);                                                                                        \
  IN_VAIN(number##7);                                                                                        \
  IN_VAIN(number##8);                                                                                        \
  IN_VAIN(number##9);
TEN(1);
TEN(2);
TEN(3);
TEN(4);
TEN(5);
TEN(6);
TEN(7);
TEN(8);
TEN(9);

#ifndef ONLY_IN_VAIN
/* Received by a routine that two functions call: one of them computes behind it. */
void receive(double* into, int peer) {
  FOUR(FOUR(look_at(work);))
  // REMARK-NOT: never_worse.c:[[#@LINE+2]]:{{.*}}: remark: MPI_Recv not moved
  // REMARK: never_worse.c:[[#@LINE+1]]:{{.*}}: remark: MPI_Recv split
  MPI_Recv(into, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
// CHECK-LABEL: define {{.*}}@looks_at_once(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: call {{.*}}@receive(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void looks_at_once(double* restrict b, int peer) {
  receive(b, peer);
  look_at(b);
}
// CHECK-LABEL: define {{.*}}@computes_behind(
// CHECK: call {{.*}}@__tacit_recv(
// CHECK: call {{.*}}@__tacit_wait(
void computes_behind(double* restrict b, double* restrict w, int peer) {
  receive(b, peer);
  for (int i = 0; i < n; i++)
    w[i] = w[i] * 1.5 + i;
  look_at(b + 1);
}
#endif
