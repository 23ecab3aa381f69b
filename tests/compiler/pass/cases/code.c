// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_RENAME=off %cc -O2 %baseline -fopenmp -fno-discard-value-names -S -emit-llvm %s -o - | %check
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_RENAME=off TACIT_OVERLAP_POKE=off %cc -O2 %baseline -fopenmp -fno-discard-value-names -S -emit-llvm %s -o - | %check --check-prefix=PLAIN
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_RENAME=off TACIT_OVERLAP_WINDOW=1000000000 %cc -O2 %baseline -fopenmp -fno-discard-value-names -S -emit-llvm %s -o - | %check --check-prefix=STRICT
/* What remarks do not show. Pokes (calls that let MPI progress) stand between chunks of a loop, which is vectorized all the
 * same, and never in code that OpenMP runs on several threads. A call whose splitting gains nothing stays the call it was.
 * Tests of slots stand outside loops in which the slot cannot be filled, and inside those in which it can. */
#include <mpi.h>
enum { n = 1 << 20, few = 4096 };

/* A long loop is poked in chunks, and vectorized; without pokes it is vectorized as it is. */
// CHECK-LABEL: define {{.*}}@long_loop(
// CHECK-DAG: tacit.chunk
// CHECK-DAG: <{{[0-9]+}} x double>
// CHECK-DAG: call {{.*}}@__tacit_poke(
// CHECK: {{^[}]}}
// PLAIN-LABEL: define {{.*}}@long_loop(
// PLAIN-NOT: @__tacit_poke(
// PLAIN: <{{[0-9]+}} x double>
// PLAIN-NOT: @__tacit_poke(
// PLAIN: {{^[}]}}
void long_loop(double* restrict in, double* restrict w, int peer) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    w[i] = w[i] * 1.5 + 2;
  w[0] += in[0];
}
/* A nest likewise. */
// CHECK-LABEL: define {{.*}}@unknown_length(
// CHECK-DAG: <{{[0-9]+}} x double>
// CHECK-DAG: call {{.*}}@__tacit_poke(
// CHECK: {{^[}]}}
void unknown_length(double* restrict in, double (*restrict w)[n], int peer, int rows) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < n; i++)
      w[j][i] = w[j][i] * 1.5 + 2;
  w[0][0] += in[0];
}
/* A short loop is split for, but not poked; where more is asked for than it gains, the call stays. */
// CHECK-LABEL: define {{.*}}@short_loop(
// CHECK-NOT: @__tacit_poke(
// CHECK: call {{.*}}@__tacit_recv(
// CHECK-NOT: @__tacit_poke(
// CHECK: {{^[}]}}
// STRICT-LABEL: define {{.*}}@short_loop(
// STRICT-NOT: __tacit_
// STRICT: call {{.*}}@MPI_Recv(
// STRICT-NOT: __tacit_
// STRICT: {{^[}]}}
void short_loop(double* restrict in, double* restrict w, int peer) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    w[i] = w[i] * 1.5 + 2;
  w[0] += in[0];
}
/* What is used at once stays a blocking call. */
// CHECK-LABEL: define {{.*}}@used_at_once(
// CHECK-NOT: __tacit_
// CHECK: call {{.*}}@MPI_Recv(
// CHECK-NOT: __tacit_
// CHECK: {{^[}]}}
void used_at_once(double* restrict in, double* restrict w, int peer) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  w[0] = in[0];
  for (int i = 0; i < n; i++)
    w[i] = w[i] * 1.5 + 2;
}
/* Threads of OpenMP split, but never poke. */
// CHECK-LABEL: define {{.*}}@on_threads.omp_outlined(
// CHECK-NOT: {{@__tacit_poke|tacit.chunk}}
// CHECK: call {{.*}}@__tacit_recv(
// CHECK-NOT: {{@__tacit_poke|tacit.chunk}}
// CHECK: {{^[}]}}
void on_threads(double* restrict in, double* restrict w, int peer) {
#pragma omp parallel
  {
    MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      w[i] = w[i] * 1.5 + 2;
    w[0] += in[0];
  }
}
/* Slots are tested together in front of loops ... */
// CHECK-LABEL: define {{.*}}@lines_behind(
// CHECK: %tacit.any{{.*}} = icmp
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: {{^[}]}}
void lines_behind(double* a, double* b, double** lines, int rows, int length, int peer) {
  MPI_Send(a, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Send(b, few, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < length; i++)
      lines[j][i] = lines[j][i] * 1.5 + i;
}
/* ... but not where they are filled. */
// CHECK-LABEL: define {{.*}}@lines_beside(
// CHECK-NOT: tacit.any
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK-NOT: tacit.any
// CHECK: {{^[}]}}
void lines_beside(double* a, double** lines, int rows, int length, int peer) {
  for (int j = 0; j < rows; j++) {
    MPI_Send(a, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    for (int i = 0; i < length; i++)
      lines[j][i] = lines[j][i] * 1.5 + i;
  }
}
