// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 -Wno-deprecated-declarations %verify %s -o %t.ll
/* Calls that run functions of the user, which another file has handed to MPI: the pass cannot know what they touch. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;
extern MPI_Request elsewhere;
extern MPI_Op made;
extern int key;
extern MPI_Comm theirs;
extern MPI_Datatype kind;
double a[n];
static MPI_Request here;

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

void nothing(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  COMPUTE;
}
void delete_attr(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Comm_delete_attr may run functions of the user}}
  MPI_Comm_delete_attr(theirs, key);
  COMPUTE;
}
void set_attr(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (PMPI_Comm_set_attr may run functions of the user}}
  PMPI_Comm_set_attr(theirs, key, 0);
  COMPUTE;
}
void dup_type(int peer) {
  MPI_Datatype again;
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Type_dup may run functions of the user}}
  MPI_Type_dup(kind, &again);
  COMPUTE;
}
void free_type(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Type_free may run functions of the user}}
  MPI_Type_free(&kind);
  COMPUTE;
}
void call_handler(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Comm_call_errhandler may run functions of the user}}
  MPI_Comm_call_errhandler(theirs, MPI_ERR_OTHER);
  COMPUTE;
}
void reduce_local(int peer) {
  int x = 1, y = 2;
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Reduce_local may run functions of the user}}
  MPI_Reduce_local(&x, &y, 1, MPI_INT, made);
  COMPUTE;
  work[0] = y;
}
void reduce_local_sum(int peer) {
  int x = 1, y = 2;
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  MPI_Reduce_local(&x, &y, 1, MPI_INT, MPI_SUM);
  COMPUTE;
  work[0] = y;
}
void reduce(int peer) {
  int x = 1, y = 2;
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (MPI_Reduce may run functions of the user}}
  MPI_Reduce(&x, &y, 1, MPI_INT, made, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Reduce not moved}}
  COMPUTE;
  work[0] = y;
}
/* A request of another file may be a generalized one. */
void wait_for_theirs(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Wait may run functions of the user}}
  MPI_Wait(&elsewhere, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request }}
  COMPUTE;
}
void ask_theirs(int peer) {
  int flag;
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Request_get_status may run functions of the user}}
  MPI_Request_get_status(elsewhere, &flag, MPI_STATUS_IGNORE);
  COMPUTE;
}
/* What only MPI's calls of this file fill holds none. */
void post_here(int peer) {
  MPI_Irecv(a, n / 2, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &here);
}
void wait_for_ours(int peer) {
  MPI_Recv(a + n / 2, n / 2, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  MPI_Wait(&here, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request not followed}}
  COMPUTE;
}
