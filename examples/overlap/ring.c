/* Each rank hands numbers to the right while it works on others. */
#include <mpi.h>
#include <stdio.h>

enum { n = 100000 };
static double in[n], out[n], other[n];

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < n; i++)
    out[i] = rank + i;
  MPI_Request requests[2];
  MPI_Irecv(in, n, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, n, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* tacit moves it behind the loop */
  for (int i = 0; i < n; i++)
    other[i] = other[i] * 0.5 + i;
  int wrong = 0, all_wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += in[i] != (rank + size - 1) % size + i;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, %d wrong numbers, %g\n", size, all_wrong, other[n - 1]);
  MPI_Finalize();
  return 0;
}
