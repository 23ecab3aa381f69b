// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* The members of one structure: its datatype leads to nothing else. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;
struct particle {
  int kind;
  double place[3];
};

// CHECK-LABEL: define {{.*}}@send_all(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void send_all(struct particle* restrict all, int count, int peer) {
  int lengths[2] = {1, 3};
  MPI_Aint begin, places[2];
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, one;
  MPI_Get_address(&all[0], &begin);
  MPI_Get_address(&all[0].kind, &places[0]);
  MPI_Get_address(&all[0].place, &places[1]);
  places[0] -= begin;
  places[1] -= begin;
  MPI_Type_create_struct(2, lengths, places, types, &one);
  MPI_Type_commit(&one);
  MPI_Send(all, count, one, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
