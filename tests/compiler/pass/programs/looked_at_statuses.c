// options: rename=off
// assume: status
/* A receive is taken out of a Waitall, and its status is looked at before the buffer is. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 50000, steps = 3000 };
double inbox[n], outbox[n], work[steps];

__attribute__((noinline)) double exchange(int peer, int* tag) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  memset(statuses, 0, sizeof statuses);
  MPI_Isend(outbox, n, MPI_DOUBLE, peer, 42, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(inbox, n, MPI_DOUBLE, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  outbox[0] = 1;
  *tag = statuses[1].MPI_TAG;
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  return inbox[n - 1];
}

int main(int argc, char** argv) {
  int rank, tag = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; i++)
    outbox[i] = i + rank;
  const double last = exchange(!rank, &tag);
  printf("%g, tag %d\n", last, tag);
  MPI_Finalize();
  return 0;
}
