// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* Posts that move up over what is computed before them. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { n = 4096 };
static double work[n];
double result(int i) {
  return work[i];
}
extern int flag;
void unknown(void);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-LABEL: define {{.*}}@receive_over_packing(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void receive_over_packing(double* restrict in, double* restrict pack, double* restrict u, int peer) {
  MPI_Request r[2];
  for (int i = 0; i < n; i++)
    pack[i] = u[2 * i];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  // expected-remark@-1 {{MPI_Irecv posted earlier}}
  MPI_Isend(pack, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall not moved: function returns}}
}
/* First earlier, then its completion later. */
// CHECK-LABEL: define {{.*}}@both_ends(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void both_ends(double* restrict in, int peer) {
  MPI_Request r;
  COMPUTE;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  // expected-remark@-1 {{MPI_Irecv posted earlier}}
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait moved}}
  COMPUTE;
  in[0] += 1;
}
// CHECK-LABEL: define {{.*}}@over_branches(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void over_branches(double* restrict in, int peer, int how) {
  MPI_Request r;
  if (how)
    COMPUTE;
  else
    work[0] = 1;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  // expected-remark@-1 {{MPI_Irecv posted earlier}}
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
// CHECK-LABEL: define {{.*}}@send_over_computing(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void send_over_computing(double* restrict out, int peer) {
  MPI_Request r;
  out[0] = 3;
  COMPUTE;
  MPI_Isend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  // expected-remark@-1 {{MPI_Isend posted earlier}}
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* Both, the first as far as it may, the second up to the first. */
// CHECK-LABEL: define {{.*}}@in_their_order(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void in_their_order(double* restrict a, double* restrict b, int peer) {
  MPI_Request r[2];
  COMPUTE;
  MPI_Irecv(a, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r[0]);
  // expected-remark@-1 {{MPI_Irecv posted earlier}}
  MPI_Irecv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  // expected-remark@-1 {{MPI_Irecv posted earlier}}
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall not moved: function returns}}
}
// CHECK-LABEL: define {{.*}}@within_an_iteration(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void within_an_iteration(double* restrict in, int peer) {
  MPI_Request r;
  for (int k = 0; k < 100; k++) {
    COMPUTE;
    MPI_Irecv(in, n, MPI_DOUBLE, peer, k, MPI_COMM_WORLD, &r);
    // expected-remark@-1 {{MPI_Irecv posted earlier}}
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait not moved: function returns}}
  }
}
/* Its operands move along. */
// CHECK-LABEL: define {{.*}}@operands(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void operands(double* restrict in, const int* restrict peers, int k, int rows) {
  MPI_Request r;
  COMPUTE;
  MPI_Irecv(&in[k * n], rows * 2, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &r);
  // expected-remark@-1 {{MPI_Irecv posted earlier}}
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
// CHECK-LABEL: define {{.*}}@persistent(
// CHECK-NOT: call {{.*}}@__tacit_{{defer|wait|note}}
// CHECK: call void @__tacit_request_freed(
// CHECK: {{^[}]}}
void persistent(double* restrict in, int peer) {
  MPI_Request r;
  MPI_Recv_init(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  COMPUTE;
  MPI_Start(&r);
  // expected-remark@-1 {{MPI_Start posted earlier}}
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request is used otherwise}}
  MPI_Request_free(&r);
}

/* Nothing below is posted earlier; the remarks are about the waits. */
// CHECK-LABEL: define {{.*}}@buffer_read_before(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void buffer_read_before(double* restrict in, int peer) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    work[i] = in[i];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
// CHECK-LABEL: define {{.*}}@buffer_written_before(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void buffer_written_before(double* restrict out, int peer) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    out[i] = i;
  MPI_Isend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* A receive before it may match the same message. */
// CHECK-LABEL: define {{.*}}@behind_a_receive(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void behind_a_receive(double* restrict in, double* restrict first, int peer) {
  MPI_Request r;
  MPI_Recv(first, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: function returns}}
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
// CHECK-LABEL: define {{.*}}@behind_a_probe(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void behind_a_probe(double* restrict in, int peer, MPI_Status* status) {
  MPI_Request r;
  MPI_Probe(peer, 0, MPI_COMM_WORLD, status);
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* That the receive has started may tell that the line is out. */
// CHECK-LABEL: define {{.*}}@behind_output(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void behind_output(double* restrict in, int peer) {
  MPI_Request r;
  puts("ready");
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
// CHECK-LABEL: define {{.*}}@behind_the_unknown(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void behind_the_unknown(double* restrict in, int peer) {
  MPI_Request r;
  unknown();
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* Not on every way. */
// CHECK-LABEL: define {{.*}}@conditional(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void conditional(double* restrict in, int peer) {
  MPI_Request r = MPI_REQUEST_NULL;
  COMPUTE;
  if (flag)
    MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* A ready send relies on the receive being posted elsewhere. */
// CHECK-LABEL: define {{.*}}@ready(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void ready(double* restrict out, int peer) {
  MPI_Request r;
  COMPUTE;
  MPI_Irsend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* The rank to receive from is computed. */
// CHECK-LABEL: define {{.*}}@argument_computed(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void argument_computed(double* restrict in) {
  MPI_Request r;
  int peer = 0;
  for (int i = 0; i < n; i++)
    peer += work[i] > 1;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
}
/* A datatype that is committed in between, in a routine. */
static __attribute__((noinline)) double commit(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return work[3];
}
// CHECK-LABEL: define {{.*}}@type_committed(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double type_committed(double* restrict in, int peer, MPI_Datatype type) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    work[i] += 1;
  const double sum = commit(type);
  MPI_Irecv(in, 1, type, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
  return sum;
}
/* MPI may change errno. */
// CHECK-LABEL: define {{.*}}@behind_errno(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
int behind_errno(double* restrict in, int peer) {
  MPI_Request r;
  errno = 0;
  work[7] = log(work[7]);
  for (int i = 0; i < n; i++)
    work[i] += 1;
  const int wrong = errno;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: function returns}}
  return wrong;
}
