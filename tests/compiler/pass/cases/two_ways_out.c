// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=conservative TACIT_OVERLAP_WINDOW=1 %cc -O1 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=conservative TACIT_OVERLAP_WINDOW=1 %cc -O1 %verify %s -o %t.ll && not grep __tacit_ %t.ll
// Both loops are left for one place, each over an edge on which the send has to be complete (its buffer ends
// there); to split the first edge puts a block into the second.
#include <mpi.h>
// CHECK-LABEL: define {{.*}}@carry(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_wait(
void carry(double* a, const double* b, int right, double x) {
  double sent[40] = {0};
  MPI_Request request;
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Isend(sent, 40, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // expected-remark@-1 {{MPI_Wait moved}}
    for (int j = 10; j >= 1; j -= 3)
      for (int i = 0; i < 40; ++i) {
        if (x == 3)
          goto next;
        a[j * 40 + i] += b[(j - 1) * 40 + i] * 3;
      }
  next:;
  }
}
