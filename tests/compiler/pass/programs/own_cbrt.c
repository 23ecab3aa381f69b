// options: rename=off
/* A function of the file's own has the name of one of the library, which a local name may have, and reads the message. */
#include <mpi.h>
#include <stdio.h>

enum { n = 50000, steps = 3000 };
static double inbox[n], work[steps];

__attribute__((noinline)) static double cbrt(double which) {
  return inbox[(int)which] + which;
}
__attribute__((noinline)) static double twice(double which) {
  return 2 * cbrt(which);
}

__attribute__((noinline)) static double receive(int which) {
  MPI_Recv(inbox, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double found = twice(which);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  return found + inbox[0];
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 0; i < n; i++)
      inbox[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(inbox, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%g\n", receive(n - 1));
  }
  MPI_Finalize();
  return 0;
}
