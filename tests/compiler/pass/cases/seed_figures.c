/* The figures of seed 001, with routines that are inlined as the seed wants. */
#include <mpi.h>

enum { n = 4096 };
static double buff[4][n], in_buffer[n], out_buffer[n], lhs[n], rhs[n];

/* Figure 3: two posts for one wait, and a write to the buffer behind it. */
void figure_3(double* b, double* work, int which, int peer) {
  MPI_Request r;
  if (which)
    MPI_Isend(b, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &r);
  else
    MPI_Isend(b, n, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // moved
  for (int i = 0; i < n; i++)
    lhs[i] = work[i] * 2;
  b[0] = 1;
}

/* Figure 1: in each stage the wait for the send of the stage before stands before the work of this one. */
void figure_1(int ncells, int successor, int predecessor) {
  MPI_Request send_id = MPI_REQUEST_NULL, recv_id;
  for (int stage = 1; stage <= ncells; stage++) {
    if (stage != 1) {
      MPI_Irecv(out_buffer, n, MPI_DOUBLE, predecessor, 1, MPI_COMM_WORLD, &recv_id);
      MPI_Wait(&send_id, MPI_STATUS_IGNORE); // moved
      MPI_Wait(&recv_id, MPI_STATUS_IGNORE); // stays TACIT-105
      for (int i = 0; i < n; i++)
        rhs[i] = lhs[i] + out_buffer[i];
    }
    for (int i = 0; i < n; i++)
      lhs[i] = rhs[i] / 3;
    if (stage != ncells) {
      for (int i = 0; i < n; i++)
        in_buffer[i] = lhs[i];
      MPI_Isend(in_buffer, n, MPI_DOUBLE, successor, 1, MPI_COMM_WORLD, &send_id);
    }
  }
}
