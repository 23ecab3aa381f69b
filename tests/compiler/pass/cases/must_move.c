// options: mode=aggressive rename=off
/* What satisfies the eight conditions, each near one of must_not_move.c: everything marked here has to move.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096 };
extern double* work;

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

void split_send(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void split_receive(double* b, int peer) {
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // moved
  COMPUTE;
}
void split_both(double* restrict b, double* restrict c, int peer) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Sendrecv(b, n, MPI_DOUBLE, peer, 0, c, n, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE); // moved
  for (int i = 0; i < n; i++)
    work[i] += c[i];
}
void dead_status(double* b, int peer) {
  MPI_Status s;
  MPI_Recv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &s); // moved
  COMPUTE;
}
void mathematics_between(double* restrict b, int peer, double* restrict out) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  for (int i = 0; i < n; i++)
    out[i] = pow(out[i], 3) + sin(out[i]);
}
void output_after_send(double* restrict b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  puts("sent");
  COMPUTE;
}
void second_send_of_the_buffer(double* b, int peer, int other) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);  // moved
  MPI_Send(b, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void wait_too_early(double* b, double* restrict c, int peer) {
  MPI_Request r[2];
  MPI_Irecv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(c, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE); // moved
  COMPUTE;
  for (int i = 0; i < n; i++)
    work[i] += b[i];
}
void array_filled_in_a_loop(double* b, int peers, const int* peer) {
  MPI_Request r[64];
  for (int k = 0; k < peers; k++)
    MPI_Isend(b, n, MPI_DOUBLE, peer[k], 0, MPI_COMM_WORLD, &r[k]);
  MPI_Waitall(peers, r, MPI_STATUSES_IGNORE); // moved
  COMPUTE;
}
void persistent(double* restrict b, int steps, int peer) {
  MPI_Request r;
  MPI_Send_init(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      b[i] = work[i];
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE); // moved
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
  }
  MPI_Request_free(&r);
}
void columns_of_one_array(double (*grid)[n], int mine, int peer) {
  MPI_Send(grid[mine], n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  for (int i = 0; i < n; i++)
    grid[mine + 1][i] = i;
  COMPUTE;
}
