// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* A message tells other ranks, or tells from them, who may use the memory they share. */
#include <mpi.h>

enum { n = 4096 };
double* shared;
double kept;

// CHECK-LABEL: define {{.*}}@make(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void make(MPI_Win* window) {
  MPI_Win_allocate_shared(n * sizeof *shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, window);
}
// CHECK-LABEL: define {{.*}}@receive_then_write(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void receive_then_write(int peer) {
  double token;
  MPI_Recv(&token, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: order is observable}}
  for (int i = 0; i < n; i++)
    shared[i] = i;
  kept = token;
}
// CHECK-LABEL: define {{.*}}@receive_then_read(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double receive_then_read(int peer) {
  double token, sum = 0;
  MPI_Recv(&token, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: order is observable}}
  for (int i = 0; i < n; i++)
    sum += shared[i] * shared[n - i];
  return sum + token;
}
// CHECK-LABEL: define {{.*}}@write_then_tell(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void write_then_tell(int peer) {
  double token[10] = {0};
  MPI_Request request;
  for (int i = 0; i < n; i++)
    shared[i] = i;
  MPI_Isend(token, 10, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request); // is not posted earlier
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: buffer ends}}
}
// CHECK-LABEL: define {{.*}}@write_then_let_go(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void write_then_let_go(int peer) {
  MPI_Send(&kept, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark-re@-1 {{MPI_Send split; {{([^(]|[(]in)*$}}}}
  double own[64];
  for (int i = 0; i < n; i++)
    own[i % 64] = own[i / 64] + i;
  shared[0] = own[7];
}
