// options: mode=aggressive rename=off
/* Memory may be in a window: as soon as a message tells another rank, it may write there. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

void expose(double* b, MPI_Win* window) {
  MPI_Win_create(b, n * sizeof *b, sizeof *b, MPI_INFO_NULL, MPI_COMM_WORLD, window);
}
void send_then_barrier(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // stays TACIT-109
  MPI_Barrier(MPI_COMM_WORLD);                         // stays TACIT-110
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
void send_then_compute(double* b, int peer) {
  MPI_Send(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  MPI_Barrier(MPI_COMM_WORLD); // stays TACIT-110
}
