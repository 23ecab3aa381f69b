// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o - | %check
/* Calls that move no message, and read or change what others see. What is asked of a message that has come before. */
#include <mpi.h>

enum { n = 4096 };
extern double work[n];
extern double a[n];
extern char port[MPI_MAX_PORT_NAME];

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

// CHECK-NOT: call {{.*}}@__tacit_
void size(int peer, MPI_File file, MPI_Offset* offset) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_File_get_size}}
  MPI_File_get_size(file, offset);
  COMPUTE;
}
void shared_position(int peer, MPI_File file, MPI_Offset* offset) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_File_get_position_shared}}
  MPI_File_get_position_shared(file, offset);
  COMPUTE;
}
void atomicity(int peer, MPI_File file) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_File_set_atomicity}}
  MPI_File_set_atomicity(file, 1);
  COMPUTE;
}
void publish(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Publish_name}}
  MPI_Publish_name("name", MPI_INFO_NULL, port);
  COMPUTE;
}
void unpublish(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Unpublish_name}}
  MPI_Unpublish_name("name", MPI_INFO_NULL, port);
  COMPUTE;
}
void look_up(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Lookup_name}}
  MPI_Lookup_name("name", MPI_INFO_NULL, port);
  COMPUTE;
}
void open_port(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Open_port}}
  MPI_Open_port(MPI_INFO_NULL, port);
  COMPUTE;
}
void close_port(int peer) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (MPI_Close_port}}
  MPI_Close_port(port);
  COMPUTE;
}
void probed(int peer, int* flag) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Iprobe may depend on what has arrived}}
  MPI_Iprobe(peer, 1, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE);
  COMPUTE;
}
// CHECK-LABEL: define {{.*}}@own_pointer(
// CHECK: call {{.*}}@__tacit_recv(
static MPI_Offset own;
MPI_Offset own_pointer(int peer, MPI_File file) {
  MPI_Recv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv split}}
  MPI_File_get_position(file, &own);
  COMPUTE;
  return own;
}
