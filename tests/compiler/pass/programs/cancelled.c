// options: rename=off
// assume: ordering
/* When the second message is there, the synchronous send of the first one has been matched, so that its receive cannot be
 * cancelled any more (MPI-4.1, 3.8.4). */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

double a[n];
int x[1];
__attribute__((noinline)) int receive(void) {
  MPI_Request r;
  MPI_Status status;
  int cancelled;
  MPI_Irecv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
  MPI_Recv(a, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Cancel(&r);
  MPI_Wait(&r, &status);
  MPI_Test_cancelled(&status, &cancelled);
  COMPUTE;
  return cancelled;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("cancelled %d\n", receive()), printf("x %d, a %g\n", x[0], a[n - 1]);
  else {
    usleep(300000);
    x[0] = 7, a[n - 1] = 5;
    MPI_Ssend(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(a, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
