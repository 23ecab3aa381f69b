// options: rename=off
/* A message says that a file has grown, and how far the shared pointer has moved. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double a[n];
__attribute__((noinline)) long told_of(MPI_File file) {
  MPI_Offset size, position;
  MPI_Recv(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_File_get_size(file, &size);
  COMPUTE;
  MPI_Recv(a, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_File_get_position_shared(file, &position);
  COMPUTE;
  return 10000 * (long)position + (long)size;
}
int main(int argc, char** argv) {
  static char bytes[1000];
  char name[] = "/tmp/size_of_a_file_XXXXXX";
  int rank;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && close(mkstemp(name)) != 0)
    abort();
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_set_atomicity(file, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld\n", told_of(file));
  else {
    usleep(300000);
    MPI_File_write_at(file, 0, bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Send(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    usleep(300000);
    MPI_File_write_shared(file, bytes, 500, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Send(a, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
