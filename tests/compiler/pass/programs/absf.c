// options: with=absf.c
/* A function of the program whose name looks like one of mathematics. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

double a[n];
double absf(const double* values, int count);
__attribute__((noinline)) double receive(void) {
  MPI_Recv(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double sum = absf(a, n);
  COMPUTE;
  return sum;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("%g\n", receive());
  else {
    usleep(300000);
    a[n - 1] = -7;
    MPI_Send(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
