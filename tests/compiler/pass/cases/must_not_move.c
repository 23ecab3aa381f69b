// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* The eight conditions of COMPILER, each broken once: nothing here may move. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096 };
extern double* work;
double shared[n];
void unknown(void);
void keep(MPI_Request* r);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

/* 1 Match */
void request_from_caller(MPI_Request* r) {
  MPI_Wait(r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request not followed}}
  COMPUTE;
}
void request_kept_elsewhere(double* restrict b, int peer) {
  MPI_Request r;
  MPI_Isend(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  keep(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Wait not moved: request is used otherwise}}
  COMPUTE;
}
/* 2 Data */
void buffer_written(double* restrict b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: buffer is written}}
  b[0] = 1;
  COMPUTE;
}
void buffer_read(double* restrict b, double* out, int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: received data are read}}
  *out = b[n - 1];
  COMPUTE;
}
void buffer_freed(int peer) {
  double* b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++)
    b[i] = i;
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: buffer is written}}
  free(b);
  COMPUTE;
}
void buffer_ends(int peer) {
  {
    double b[64];
    for (int i = 0; i < 64; i++)
      b[i] = i * work[i];
    MPI_Send(b, 64, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send not moved: buffer ends}}
  }
  COMPUTE;
}
void in_a_window(double* b, int peer, MPI_Win window) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect}}
  MPI_Win_fence(0, window);
  COMPUTE;
}
void absolute_addresses(MPI_Datatype type, int peer) {
  MPI_Send(MPI_BOTTOM, 1, type, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: buffer not followed}}
  COMPUTE;
}
void unknown_call(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect}}
  unknown();
  COMPUTE;
}
/* 3 Control */
void at_the_end(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: function returns}}
}
void before_finalize(double* restrict b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect}}
  MPI_Finalize();
}
/* 4 Ordering */
void receive_then_output(double* restrict b, int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: unknown effect (puts}}
  puts("arrived");
  COMPUTE;
}
/* A pipe that nobody reads before the message has come blocks the output; and the buffer may be that of the stream. */
void send_then_output(double* restrict b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (puts}}
  puts("sent");
  COMPUTE;
}
void receive_then_send(double* restrict b, double* restrict c, int peer, int third) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: order is observable}}
  MPI_Ssend(c, n, MPI_DOUBLE, third, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Ssend not moved: synchronous send}}
  COMPUTE;
}
void receive_then_volatile(double* restrict b, volatile int* flag, int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Recv not moved: order is observable}}
  *flag = 1;
  COMPUTE;
}
void synchronous(double* restrict b, int peer) {
  MPI_Ssend(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Ssend not moved: synchronous send}}
  COMPUTE;
}
/* 6 Progress */
void spin(double* restrict b, volatile int* flag, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: order is observable}}
  while (!*flag)
    ;
  COMPUTE;
}
/* 7 Status and choice */
void status_read(double* restrict b, int* count, int peer) {
  MPI_Status s;
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &s);
  // expected-remark@-1 {{MPI_Recv not moved: status is read}}
  COMPUTE;
  MPI_Get_count(&s, MPI_DOUBLE, count);
}
void which_one(double* restrict b, double* restrict c, int peer, int* which) {
  MPI_Request r[2];
  MPI_Irecv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(c, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitany(2, r, which, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Waitany not moved: the program asks which operation is complete}}
  MPI_Waitany(2, r, which, MPI_STATUS_IGNORE);
  // expected-remark@-1 {{MPI_Waitany not moved: the program asks which operation is complete}}
}
