// options: rename=off
// assume: control
/* The caller looks at the buffer after the function has returned, on one way out of it in the middle. */
#include "../let_run.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { n = 50000, steps = 3000 };
double inbox[n], work[steps];

__attribute__((noinline)) double receive(int kind) {
  MPI_Recv(inbox, n, MPI_DOUBLE, 0, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  if (kind == 1)
    return work[1];
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += inbox[i];
  return sum;
}

int main(int argc, char** argv) {
  int rank, receiver = getpid();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&receiver, 1, MPI_INT, 1, MPI_COMM_WORLD);
  for (int kind = 1; kind < 3; kind++) {
    if (rank == 0) {
      for (int i = 0; i < n; i++)
        inbox[i] = i + kind;
      let_run(receiver);
      MPI_Send(inbox, n, MPI_DOUBLE, 1, kind, MPI_COMM_WORLD);
    } else {
      const double got = receive(kind), last = inbox[n - 1];
      printf("%g %g\n", got, last);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
