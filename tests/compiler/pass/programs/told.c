// options: rename=off ranks=3
// assume: ordering
/* What a receive tells is passed on: rank 0 writes a file, then sends to rank 1, which sends to rank 2, which reads the file. */
#include "../let_run.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { n = 50000, steps = 3000 };
double inbox[n], work[steps];

__attribute__((noinline)) double pass_on(int token) {
  MPI_Recv(inbox, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  MPI_Send(&token, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  return inbox[n - 1];
}

int main(int argc, char** argv) {
  char name[] = "/tmp/told_XXXXXX";
  int rank, token = 3, processes[3] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && (close(mkstemp(name)) != 0 || unlink(name) != 0))
    abort();
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  processes[rank] = getpid();
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < n; i++)
      inbox[i] = i;
    let_run(processes[1]); // a token that does not wait for the message is sent now
    let_run(processes[2]); // and used
    FILE* file = fopen(name, "w");
    if (!file || fclose(file) != 0)
      abort();
    MPI_Send(inbox, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  }
  if (rank == 1)
    printf("%g\n", pass_on(token));
  if (rank == 2) {
    MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("the file is %s\n", access(name, F_OK) == 0 ? "there" : "not there");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    unlink(name);
  MPI_Finalize();
  return 0;
}
