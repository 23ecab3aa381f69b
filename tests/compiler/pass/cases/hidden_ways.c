// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Ways to a request, to a buffer, or out of a function that are easy to overlook. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;
double a[n], b[n];

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

/* The address does not get out of the routine, but its contents change there in a way that is not followed.
 */
__attribute__((noinline)) static void exchange(MPI_Request* r) {
  MPI_Request first = r[0];
  r[0] = r[1];
  r[1] = first;
  __asm__ volatile("nop" ::: "memory");
}
// CHECK-LABEL: define {{.*}}@exchanged_by_a_routine(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double exchanged_by_a_routine(int peer) {
  MPI_Request r[2];
  MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  exchange(r);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request is used otherwise}}
  COMPUTE;
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request is used otherwise}}
  COMPUTE;
  return a[0];
}
// CHECK-LABEL: define {{.*}}@exchanged_by_volatile_stores(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double exchanged_by_volatile_stores(int peer) {
  MPI_Request r[2];
  MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Request first = r[0];
  *(volatile MPI_Request*)&r[0] = r[1];
  *(volatile MPI_Request*)&r[1] = first;
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request is used otherwise}}
  COMPUTE;
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request is used otherwise}}
  COMPUTE;
  return a[0];
}
/* MPI hands a pointer back. */
// CHECK-LABEL: define {{.*}}@behind_an_attribute(
// CHECK: call {{.*}}@__tacit_recv(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
double behind_an_attribute(int peer, int key) {
  double x[64], *again = x, sum = 0;
  int flag;
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, x);
  MPI_Recv(x, 64, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Recv split; {{.*}}if it is the same memory}}
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &again, &flag);
  for (int i = 0; i < 64; i++)
    sum += again[i];
  return sum;
}
/* The end of an array of variable length, which one of two pointers may lead to. */
// CHECK-LABEL: define {{.*}}@end_of_one_of_two(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double end_of_one_of_two(int m, int which, int peer) {
  double sum = 0;
  {
    double x[m], y[m], *p = which ? x : y;
    for (int i = 0; i < m; i++)
      p[i] = i;
    MPI_Send(p, m, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send not moved: unknown effect}}
  }
  double z[2 * m];
  for (int i = 0; i < 2 * m; i++)
    z[i] = work[i];
  for (int i = 1; i < m; i++)
    sum += z[i] * z[i - 1] + sum * z[2 * m - i];
  return sum;
}
/* A cycle that is no loop: the next round reads what came in this one. */
// CHECK-LABEL: define {{.*}}@cycle_with_two_entries(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double cycle_with_two_entries(int at, int inside, int rounds, int peer) {
  double sum = 0;
  if (inside)
    goto second;
first:
  sum *= 1.5;
  work[7] += sum;
second:
  sum += a[at - 100];
  if (rounds-- == 0)
    return sum;
  MPI_Recv(a + at, 10, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect}}
  COMPUTE;
  at += 100;
  if (work[3] > 7) {
    work[9] = 3;
    goto second;
  }
  goto first;
}
/* Nothing may stand between a tail call that has to be one and the return. */
__attribute__((noinline)) static int sum_up(int m, int peer) {
  double sum = 0;
  for (int i = 0; i < m; i++)
    sum += work[i] * i;
  return (int)sum + peer;
}
// CHECK-LABEL: define {{.*}}@tail_call(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
int tail_call(int m, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  COMPUTE;
  __attribute__((musttail)) return sum_up(m, peer);
}
