/* A program of the standard MPI ABI: its MPI_COMM_WORLD is the constant that the standard has (MPI-5.0, A.1). */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Comm_rank(void* comm, int* rank);
int MPI_Finalize(void);

int main(int argc, char** argv) {
  int rank = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank((void*)0x101, &rank);
  MPI_Finalize();
  printf("rank %d done\n", rank);
  return 0;
}
