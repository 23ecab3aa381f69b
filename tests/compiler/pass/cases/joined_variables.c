// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* A datatype leads from the variable that the call names to another one. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-LABEL: define {{.*}}@two_variables(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
double two_variables(int peer) {
  int count;
  double values[50], sum = 0;
  int lengths[2] = {1, 50};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, both;
  MPI_Get_address(&count, &places[0]);
  MPI_Get_address(values, &places[1]);
  places[1] -= places[0];
  places[0] = 0;
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_commit(&both);
  MPI_Recv(&count, 1, both, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: buffer not followed}}
  COMPUTE;
  for (int i = 0; i < 50; i++)
    sum += values[i];
  return sum + count;
}
// CHECK-LABEL: define {{.*}}@plain_messages_move(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
double* plain_messages_move(double* restrict buffer, int peer) {
  MPI_Send(buffer, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  COMPUTE;
  return buffer;
}
