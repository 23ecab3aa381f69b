// options: rename=off with=pcontrol.c
/* A program that brings what MPI_Pcontrol is for (MPI-4.1, 15.2.4); it reads what has been received. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

double a[n];
__attribute__((noinline)) void receive(void) {
  MPI_Recv(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Pcontrol(2, 0);
  COMPUTE;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    receive();
  else {
    usleep(300000);
    a[n - 1] = 7;
    MPI_Send(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
