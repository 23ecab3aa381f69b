// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* As in joined_variables.c: a structure and what its pointer leads to. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;
struct list {
  int count;
  double* values;
};

void send_all(struct list* list, int peer) {
  int lengths[2] = {1, 50};
  MPI_Aint places[2] = {0, (char*)list->values - (char*)list};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, all;
  MPI_Type_create_struct(2, lengths, places, types, &all);
  MPI_Type_commit(&all);
  MPI_Send(list, 1, all, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: buffer not followed}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
