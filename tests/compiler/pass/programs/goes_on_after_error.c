// options: rename=off ranks=2
/* Errors come back and nobody looks at them: an operation that fails where the next one of its call begins keeps nothing from being
 * done. */
#include <mpi.h>
#include <stdio.h>

enum { n = 100, steps = 3000 };
static double inbox[n], out[2 * n], work[steps];

__attribute__((noinline)) static void receive_all(int rounds) {
  for (int round = 0; round < rounds; round++) {
    MPI_Recv(inbox, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < steps; i++)
      work[i] = work[i] * 1.5 + i;
  }
}

__attribute__((noinline)) static void wait_for_all(int rounds) {
  for (int round = 0; round < rounds; round++) {
    MPI_Request request;
    MPI_Irecv(inbox, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < steps; i++)
      work[i] = work[i] * 1.5 + i;
  }
}

int main(int argc, char** argv) {
  const int rounds = 3 + argc;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int time = 0; time < 2; time++) {
    if (rank == 0) {
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 2 * n; i++)
          out[i] = round + 10 * time;
        MPI_Send(out, round == 1 ? n + 5 : n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // one is too long
      }
    } else {
      time == 0 ? receive_all(rounds) : wait_for_all(rounds);
      printf("%g %g\n", inbox[0], inbox[n - 1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
