/* A broadcast by hand along a ring, ten times ("long": thousands of times), each with other content. Prints,
 * reads its input, and returns what it is told to: `ring_program CODE [kill|long|quit|hang|file FILE]`. With "hang" rank 1
 * ends while rank 0 is sending to it; with "file" data goes to a file, too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static char block[4096];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* manner = argc > 2 ? argv[2] : "";
  const int rounds = strcmp(manner, "long") == 0 ? 6000 : 10;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0)
      for (size_t i = 0; i < sizeof block; ++i)
        block[i] = (char)(i * 31 + (size_t)round * 7 + i / 97);
    else
      MPI_Recv(block, sizeof block, MPI_BYTE, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < size)
      MPI_Send(block, sizeof block, MPI_BYTE, rank + 1, 5, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    char line[64] = "";
    if (fgets(line, sizeof line, stdin))
      printf("heard %s", line);
    printf("last %d\n", block[100]);
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* all messages have arrived before anybody is killed */
  if (strcmp(manner, "hang") == 0 && rank == 0)
    MPI_Ssend(block, sizeof block, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
  if (strcmp(manner, "hang") == 0 && rank == 1) {
    MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* now rank 0 is in its call */
    _exit(3);
  }
  if (strcmp(manner, "file") == 0) {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, argv[3], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int i = 0; i < 20; ++i)
      MPI_File_write_at(file, 0, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  if (strcmp(manner, "kill") == 0)
    abort();
  if (strcmp(manner, "quit") == 0)
    _exit(0);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
