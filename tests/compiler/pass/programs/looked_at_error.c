// options: rename=off
// assume: errors
/* A message that is too long for the receive: the program asked to be told, and is told. */
#include <mpi.h>
#include <stdio.h>

enum { n = 50000, steps = 3000 };
double inbox[n], outbox[n + 100], work[steps];

__attribute__((noinline)) int receive(void) {
  const int error = MPI_Recv(inbox, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  return error;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0)
    MPI_Send(outbox, n + 100, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) {
    int kind = 0;
    MPI_Error_class(receive(), &kind);
    printf("%s\n", kind == MPI_ERR_TRUNCATE ? "truncated"
                   : kind == MPI_SUCCESS    ? "success"
                                            : "something else");
  }
  MPI_Finalize();
  return 0;
}
