/* Collectives start only where the user promises it for the whole program. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

void could_start(double* restrict b, int peer) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // stays TACIT-120
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  b[0] += 1;
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
