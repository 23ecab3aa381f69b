// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* What could be moved, but would not gain anything. */
#include <mpi.h>

enum { n = 65536 };

/* Both partners send before they wait: a copy could not be complete any earlier. */
// CHECK-LABEL: define {{.*}}@exchange_in_stages(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void exchange_in_stages(double* restrict y, double* restrict other, double* restrict work, int rank,
                        int stages) {
  for (int k = 0; k < stages; k++) {
    const int partner = rank ^ (1 << k);
    MPI_Request request;
    MPI_Irecv(other, n, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &request);
    MPI_Send(y, n, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send not moved: buffer is written}}
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait not moved: received data are read}}
    for (int i = 0; i < n; i++)
      y[i] += other[i];
  }
}

/* A wavefront: the partner of the send receives later, the buffer is filled again at once. */
// CHECK-LABEL: define {{.*}}@pass_on(
// CHECK: call {{.*}}@__tacit_send_renamed(
void pass_on(double* restrict y, int below, int above, int stages) {
  for (int k = 0; k < stages; k++) {
    MPI_Recv(y, n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
    for (int i = 0; i < n; i++)
      y[i] = y[i] * 2 + k;
    MPI_Send(y, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send sent from a copy}}
  }
}

/* The loop that uses the message runs nearly always: what comes behind it does not count. */
// CHECK-LABEL: define {{.*}}@used_at_once(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void used_at_once(double* restrict in, double* restrict sum, double* restrict work, int peer, int count) {
  MPI_Recv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
  if (__builtin_expect(count > 0, 1))
    *sum += in[0];
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
