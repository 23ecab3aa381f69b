// options: mode=aggressive
/* Algorithm 2 of the seed: beyond the loop of the wait, and sending from copies where a buffer is packed
 * again at once. */
#include <mpi.h>
#include <unistd.h>

enum { n = 4096 };
extern double* work;
void unknown(void);

void into_the_next_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  }
}
void another_buffer_in_each_iteration(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      work[i] = work[i] * 1.5 + i;
    MPI_Send(b + step, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  }
}
void packed_again_at_once(double* restrict b, int steps, int peer) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      b[i] = work[i];
    MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // copied
  }
}
