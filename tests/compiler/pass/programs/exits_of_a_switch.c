// options: mode=conservative
/* A switch leaves a loop by several cases that have one aim: the send is complete there, whichever it was. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 1 << 18 };

__attribute__((noinline)) void send_until(double* restrict work, double* restrict b, int rounds, int peer) {
  for (int round = 0; round < rounds; round++) {
    MPI_Send(b, n, MPI_DOUBLE, peer, round, MPI_COMM_WORLD);
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += work[i] * work[i];
    switch ((int)sum) {
    case 1:
    case 5:
      goto out;
    case 77:
      goto out;
    case 99:
      work[1] = 3;
      break;
    default:
      work[2] += 1;
    }
  }
  return;
out:
  for (int i = 0; i < n; i++)
    b[i] = -1;
}

int main(int argc, char** argv) {
  static const int last[3] = {1, 5, 77};
  int rank, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *work = calloc(n, sizeof *work), *b = malloc(n * sizeof *b);
  for (int which = 0; which < 3; which++) {
    for (int i = 0; i < n; i++) {
      work[i] = i < last[which];
      b[i] = i;
    }
    if (rank == 0)
      send_until(work, b, 3, 1);
    if (rank == 1) {
      const double late = MPI_Wtime() + 0.1; // so that the message is still to be sent
      while (MPI_Wtime() < late)
        ;
      MPI_Recv(b, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n && rank == 1; i++)
      wrong += b[i] != i;
  }
  if (rank == 1)
    printf("%d wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
