// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_COLLECTIVES=on %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_COLLECTIVES=on %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Blocking collectives started as nonblocking ones. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096 };
extern double* work;
void unknown(void);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-LABEL: define {{.*}}@broadcast(
// CHECK: call {{.*}}@__tacit_bcast(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void broadcast(double* restrict b) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast started}}
  COMPUTE;
  b[0] += 1;
}
/* Both ways start one, so that they match. */
// CHECK-LABEL: define {{.*}}@two_ways(
// CHECK: call {{.*}}@__tacit_bcast(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void two_ways(double* restrict a, double* restrict b, int rank) {
  if (rank == 0)
    MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast started}}
  else
    PMPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call {{.*}}@__tacit_allreduce(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void sum(double* restrict a, double* restrict b) {
  MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allreduce started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@in_place(
// CHECK: call {{.*}}@__tacit_allreduce(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void in_place(double* restrict b) {
  MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allreduce started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@to_root(
// CHECK: call {{.*}}@__tacit_reduce(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_gather(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void to_root(double* restrict a, double* restrict b) {
  MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Reduce started}}
  COMPUTE;
  MPI_Gather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Gather started}}
  COMPUTE;
  MPI_Gather(a, 8, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Gather started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@from_root(
// CHECK: call {{.*}}@__tacit_scatter(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void from_root(double* restrict a, double* restrict b) {
  MPI_Scatter(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Scatter started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@everybody(
// CHECK: call {{.*}}@__tacit_allgather(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_alltoall(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void everybody(double* restrict a, double* restrict b) {
  MPI_Allgather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allgather started}}
  COMPUTE;
  PMPI_Alltoall(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Alltoall started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@with_counts(
// CHECK: call {{.*}}@__tacit_alltoallv(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_allgatherv(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void with_counts(double* restrict a, double* restrict b, int* restrict counts, int* restrict displs) {
  MPI_Alltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Alltoallv started}}
  COMPUTE;
  MPI_Allgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allgatherv started}}
  COMPUTE;
  MPI_Gatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Gatherv started}}
  COMPUTE;
  MPI_Scatterv(a, counts, displs, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Scatterv started}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@in_a_loop(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_bcast(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait_overlap(
void in_a_loop(double* restrict a, double* restrict b) {
  for (int k = 0; k < 10; k++) {
    MPI_Bcast(b, n, MPI_DOUBLE, k % 2, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Bcast started}}
    COMPUTE;
    a[k] = b[k];
  }
}

/* The completion cannot move: started and completed at once, because others may start theirs. */
void used_at_once(double* restrict b) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast not moved: received data are read}}
  work[0] = b[0];
  COMPUTE;
}
void sent_data_written(double* restrict a, double* restrict b) {
  MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allreduce not moved: buffer is written}}
  a[0] = 0;
  COMPUTE;
}
void counts_written(double* restrict a, double* restrict b, int* restrict counts, int* restrict displs) {
  MPI_Allgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allgatherv not moved: buffer is written}}
  counts[0] = 1;
  COMPUTE;
}
void local_counts(double* restrict a, double* restrict b) {
  {
    int counts[64], displs[64];
    for (int i = 0; i < 64; i++)
      counts[i] = i, displs[i] = (int)work[i];
    MPI_Allgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Allgatherv not moved: buffer ends}}
  }
  COMPUTE;
}
void then_output(double* restrict b) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast not moved: unknown effect}}
  puts("all are here");
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@then_send(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void then_send(double* restrict b, double* restrict c, int peer) {
  MPI_Allgather(c, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allgather not moved: order is observable}}
  MPI_Ssend(c, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Ssend not moved: synchronous send}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@barrier(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Barrier not moved: order is observable}}
  COMPUTE;
}
void own_operation(double* restrict a, double* restrict b, MPI_Op op) {
  MPI_Allreduce(a, b, n, MPI_DOUBLE, op, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Allreduce not moved: buffer not followed}}
  COMPUTE;
}
void absolute(MPI_Datatype type) {
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Bcast not moved: buffer not followed}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@communicator_freed(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void communicator_freed(double* restrict b, MPI_Comm comm) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, comm);
  // expected-remark@-1 {{MPI_Bcast not moved: unknown effect}}
  MPI_Comm_free(&comm);
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@no_form(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void no_form(double* restrict a, double* restrict b) {
  MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Scan not moved: buffer not followed}}
  COMPUTE;
}
/* The blocks are unpacked in their order: the first iteration of the nest needs the first byte. */
void transpose(double* restrict a, double* restrict b, double* restrict c, int rows, int ranks) {
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < rows * rows * ranks; i++)
      a[i] = c[i] * step;
    MPI_Alltoall(a, rows * rows, MPI_DOUBLE, b, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Alltoall not moved: received data are read}}
    for (int k = 0; k < ranks; k++)
      for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++)
          c[(size_t)j * (size_t)(rows * ranks) + (size_t)(k * rows + i)] =
              2 * b[((size_t)k * (size_t)rows + (size_t)j) * (size_t)rows + (size_t)i];
  }
}
