// options: rename=off
/* The datatypes of MPI_Alltoallw stand in arrays; one leads from one variable to another. (No MPI library objects.) */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

double a[2], b[n], nines[n];
__attribute__((noinline)) void exchange(MPI_Datatype joined) {
  int one = 1, many = n, zero = 0;
  MPI_Datatype numbers = MPI_DOUBLE;
  MPI_Request r;
  MPI_Isend(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Alltoallw(nines, &many, &zero, &numbers, a, &one, &zero, &joined, MPI_COMM_SELF);
  COMPUTE;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Aint from, to;
  MPI_Datatype joined;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_address(a, &from);
  MPI_Get_address(b, &to);
  to -= from;
  MPI_Type_create_hindexed(1, (int[]){n}, &to, MPI_DOUBLE, &joined);
  MPI_Type_commit(&joined);
  for (int i = 0; i < n; i++)
    b[i] = 1, nines[i] = 9;
  if (rank == 0)
    exchange(joined);
  else {
    usleep(300000);
    MPI_Recv(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%g %g\n", b[0], b[n - 1]);
  }
  MPI_Finalize();
  return 0;
}
