// options: rename=off
// assume: status
/* The status of a receive is looked at long before the buffer is. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 50000, steps = 3000 };
double inbox[n], work[steps];

__attribute__((noinline)) double receive(int* tag) {
  MPI_Status status;
  memset(&status, 0, sizeof status);
  MPI_Recv(inbox, n, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  *tag = status.MPI_TAG;
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  return inbox[n - 1];
}

int main(int argc, char** argv) {
  int rank, tag = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 0; i < n; i++)
      inbox[i] = i;
    MPI_Send(inbox, n, MPI_DOUBLE, 1, 42, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    const double last = receive(&tag);
    printf("%g, tag %d\n", last, tag);
  }
  MPI_Finalize();
  return 0;
}
