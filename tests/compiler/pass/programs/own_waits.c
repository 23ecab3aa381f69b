// options: window=1
/* Functions that the program has in MPI's place are called as often as it calls them, also where a Waitall could be taken apart. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>

static double in[n], out[n];
static int waits;
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  waits++;
  return PMPI_Wait(request, status);
}
__attribute__((noinline)) static void exchange(int peer) {
  MPI_Request r[2];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  in[0] += 1;
  COMPUTE;
  out[0] += 1;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++)
    exchange(1 - rank);
  MPI_Wait(&(MPI_Request){MPI_REQUEST_NULL}, MPI_STATUS_IGNORE);
  printf("%d waits, %g\n", waits, in[0]);
  MPI_Finalize();
  return 0;
}
