// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* The program's own nonblocking collectives: their waits move like those of messages, past what uses none of
 * their memory. */
#include <mpi.h>
#include <stdio.h>

enum { n = 4096 };
void unknown(void);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  w[i] = w[i] * 1.5 + i

// CHECK-LABEL: define {{.*}}@broadcast(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void broadcast(double* restrict w, double* restrict b) {
  MPI_Request r;
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Wait moved; {{([^(]|[(]in)*$}}}}
  COMPUTE;
  b[0] += 1;
}
// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void sum(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Wait moved; {{([^(]|[(]in)*$}}}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@sent_data_read(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
double sent_data_read(double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Wait moved; {{([^(]|[(]in)*$}}}}
  double all = 0;
  for (int i = 0; i < n; i++)
    all += a[i];
  return all;
}
// CHECK-LABEL: define {{.*}}@in_place(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void in_place(double* restrict w, double* restrict b) {
  MPI_Request r;
  MPI_Iscan(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Wait moved; {{([^(]|[(]in)*$}}}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@with_counts(
// CHECK: call {{.*}}@__tacit_defer_element(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void with_counts(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                 int* restrict displs) {
  MPI_Request r[2];
  MPI_Ialltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD, &r[0]);
  MPI_Ireduce_scatter(a, b + 10 * n, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  // expected-remark-re@-1 {{MPI_Waitall: 2 of 2 moved; {{([^(]|[(]in)*$}}}}
  COMPUTE;
  counts[0] = 1;
}
// CHECK-LABEL: define {{.*}}@in_a_loop(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void in_a_loop(double* restrict w, double* restrict a, double* restrict b, int steps) {
  for (int k = 0; k < steps; k++) {
    MPI_Request r;
    MPI_Ialltoall(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    // expected-remark-re@-1 {{MPI_Wait moved; {{([^(]|[(]in)*$}}}}
    COMPUTE;
    a[k] += b[k];
  }
}

// CHECK-LABEL: define {{.*}}@used_at_once(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void used_at_once(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Iallgather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
  w[0] = b[0];
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@sent_data_written(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void sent_data_written(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Igather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: buffer is written}}
  a[0] = 0;
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@counts_written(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void counts_written(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                    int* restrict displs) {
  MPI_Request r;
  MPI_Iscatterv(a, counts, displs, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: buffer is written}}
  displs[0] = 1;
  COMPUTE;
}
/* Displacements may lead below the pointer. */
// CHECK-LABEL: define {{.*}}@below_the_pointer(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void below_the_pointer(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                       int* restrict displs) {
  MPI_Request r;
  MPI_Iallgatherv(a, 8, MPI_DOUBLE, b + n, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
  a[8] = b[0];
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@local_counts(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void local_counts(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  {
    int counts[64], displs[64];
    for (int i = 0; i < 64; i++)
      counts[i] = i, displs[i] = (int)w[i];
    MPI_Iallgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait not moved: buffer ends}}
  }
  COMPUTE;
}
/* Which bytes belong to a collective is not compared when the program runs. */
// CHECK-LABEL: define {{.*}}@perhaps_the_same(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void perhaps_the_same(double* a, double* b, double* c) {
  MPI_Request r;
  MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
  for (int i = 0; i < n; i++)
    c[i] = c[i] * 1.5 + i;
}
/* A message of the same slot whose bytes could be compared does not lend them to the collective. */
// CHECK-LABEL: define {{.*}}@together_with_a_message(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer_element(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void together_with_a_message(double* a, double* b, double* c, int peer) {
  MPI_Request r[2];
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall: 1 of 2 moved}}
  for (int i = 0; i < n; i++)
    c[i] = c[i] * 1.5 + i;
}
// CHECK-LABEL: define {{.*}}@then_output(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void then_output(double* restrict w, double* restrict b) {
  MPI_Request r;
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: unknown effect}}
  puts("all are here");
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@then_unknown(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void then_unknown(double* restrict w, double* b) {
  MPI_Request r;
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: unknown effect}}
  unknown();
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@own_operation(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void own_operation(double* restrict w, double* restrict a, double* restrict b, MPI_Op op) {
  MPI_Request r;
  MPI_Ireduce(a, b, n, MPI_DOUBLE, op, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: buffer not followed}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@arrays_of_types(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void arrays_of_types(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                     int* restrict displs, MPI_Datatype* restrict types) {
  MPI_Request r;
  MPI_Ialltoallw(a, counts, displs, types, b, counts, displs, types, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: buffer not followed}}
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@barrier(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void barrier(double* restrict w) {
  MPI_Request r;
  MPI_Ibarrier(MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: buffer not followed}}
  COMPUTE;
}
