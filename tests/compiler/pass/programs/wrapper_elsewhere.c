// options: with=wrapper_elsewhere.c
/* Another file of the program stands for MPI_Recv and MPI_Wait, and does more: what they give is not what MPI_Irecv gives. */
#include <mpi.h>
#include <stdio.h>

enum { n = 20000, steps = 3000 };
double a[n], b[n], work[steps];
#define COMPUTE                                                                                              \
  for (int i = 0; i < steps; i++)                                                                            \
  work[i] = work[i] * 1.5 + i

__attribute__((noinline)) double receive(void) {
  MPI_Request r;
  MPI_Recv(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  COMPUTE;
  MPI_Irecv(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  COMPUTE;
  return 1000 * a[n - 1] + b[n - 1];
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  a[n - 1] = 7, b[n - 1] = 5;
  if (rank == 0)
    printf("%g\n", receive());
  else {
    MPI_Send(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Send(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
