#include <mpi.h>
#include <stdio.h>

enum { n = 4096 };
static double in[n], out[n], work[n];

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < n; i++)
    out[i] = rank;
  MPI_Irecv(in, n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, n, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  printf("%s\n", in[0] == (rank + ranks - 1) % ranks && work[1] == 1 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
