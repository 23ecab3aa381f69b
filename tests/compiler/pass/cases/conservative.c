// options: mode=conservative
/* Algorithm 1 of the seed keeps a wait inside the loop that it stands in. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

void until_the_end_of_the_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
  }
}
void nothing_left_in_the_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // stays TACIT-112
  }
}
/* The two messages are under way together, although nothing is computed meanwhile. */
void two_messages(double* restrict a, double* restrict b, int steps, int peer, int other) {
  for (int step = 0; step < steps; step++) {
    a[step] = b[step] = step;
    if (peer >= 0)
      MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
    if (other >= 0)
      MPI_Send(b, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); // stays TACIT-112
  }
}
/* Waiting for what was posted before gains nothing. */
void two_waits(double* restrict a, double* restrict b, double* restrict sum, int steps, int peer, int other) {
  for (int step = 0; step < steps; step++) {
    MPI_Request first, second;
    MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &first);
    MPI_Irecv(b, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &second);
    MPI_Wait(&first, MPI_STATUS_IGNORE);  // stays TACIT-105
    MPI_Wait(&second, MPI_STATUS_IGNORE); // stays TACIT-105
    *sum += a[0] + b[0];
  }
}
