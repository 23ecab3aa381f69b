// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
/* A buffer that was attached to a communicator or a session is given back when it is detached (MPI-4.1, 3.6): another name for it. */
#include <mpi.h>

enum { n = 4096 };
extern double work[n];
int MPI_Comm_attach_buffer(MPI_Comm, void*, int);
int MPI_Comm_detach_buffer(MPI_Comm, void*, int*);
int MPI_Session_attach_buffer(void*, void*, int);
int MPI_Session_detach_buffer(void*, void*, int*);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-NOT: call {{.*}}@__tacit_
double of_communicator(int peer) {
  double store[n] = {0}, *again;
  int size;
  MPI_Comm_attach_buffer(MPI_COMM_SELF, store, sizeof store);
  MPI_Comm_detach_buffer(MPI_COMM_SELF, &again, &size);
  MPI_Recv(store, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
  const double last = again[n - 1];
  COMPUTE;
  return last;
}
double of_session(int peer, void* session) {
  double store[n] = {0}, *again;
  int size;
  MPI_Session_attach_buffer(session, store, sizeof store);
  MPI_Session_detach_buffer(session, &again, &size);
  MPI_Recv(store, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
  const double last = again[n - 1];
  COMPUTE;
  return last;
}
