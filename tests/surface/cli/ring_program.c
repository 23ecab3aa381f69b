/* A broadcast by hand along a ring, ten times ("long": thousands of times), each with other content. Prints,
 * reads its input, and returns what it is told to: `ring_program CODE [kill|long|quit]`. */
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
  if (strcmp(manner, "kill") == 0)
    abort();
  if (strcmp(manner, "quit") == 0)
    _exit(0);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
