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
