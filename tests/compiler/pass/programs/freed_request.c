// options: rename=off
/* That a request has been freed leaves it to the answer to tell that the message has gone (MPI-4.1, 3.7.3): then the buffer is used again. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

double a[n];
int answer[1];
__attribute__((noinline)) double tell(void) {
  MPI_Request r;
  a[n - 1] = 5;
  MPI_Isend(a, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &r);
  MPI_Request_free(&r);
  MPI_Recv(answer, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  COMPUTE;
  for (int i = 0; i < n; i++)
    a[i] = -1;
  return answer[0];
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("answer %g\n", tell());
  else {
    usleep(300000);
    MPI_Recv(a, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %g\n", a[n - 1]);
    answer[0] = 7;
    MPI_Send(answer, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
