/* A program that looks at its own calls: what stands for MPI_Send calls PMPI_Send, and nothing may call MPI_Send there. */
#include <mpi.h>
#include <stdio.h>
static unsigned long histogram[64];
int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const int error = PMPI_Send(buffer, count, type, dest, tag, comm);
  for (int i = 0; i < 64; i++)
    histogram[i] = histogram[i] * 3 + (unsigned long)count + (unsigned long)i;
  return error;
}
int main(int argc, char** argv) {
  int rank, x = 5;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%d %lu\n", x, histogram[63]);
  MPI_Finalize();
  return 0;
}
