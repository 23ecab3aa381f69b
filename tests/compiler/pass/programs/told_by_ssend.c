// options: rename=off ranks=3
// assume: ordering
/* That a synchronous send is complete tells rank 1 that rank 0 has begun to receive it, and so that it has got what it received
 * before (MPI-4.1, 3.4). */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double a[n];
int b[1];
__attribute__((noinline)) double middle(void) {
  MPI_Recv(a, n, MPI_DOUBLE, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(b, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  COMPUTE;
  return a[n - 1] + b[0];
}
int main(int argc, char** argv) {
  char name[] = "/tmp/told_by_ssend_XXXXXX";
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && (close(mkstemp(name)) != 0 || unlink(name) != 0))
    abort();
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 2) {
    usleep(300000);
    FILE* file = fopen(name, "w");
    if (!file || fclose(file) != 0)
      abort();
    MPI_Send(a, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    b[0] = 3;
    MPI_Ssend(b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    printf("the file is %s\n", access(name, F_OK) == 0 ? "there" : "not there");
  } else
    printf("%g\n", middle());
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    unlink(name);
  MPI_Finalize();
  return 0;
}
