/* A program that repeats itself, for bench/recorder_overhead.py: in each round it exchanges many fields with both neighbors
   on a ring, new content in every message, and every tenth round ends with an Allreduce. Prints how many calls all
   ranks make together.
     recorder_rounds ROUNDS */
#include "whole_number.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { words = 32, fields = 32 };

static long in[fields][2][words], out[fields][2][words];

int main(int argc, char** argv) {
  int rank, size;
  const long rounds = argc > 1 ? whole_number_before(argv[1], "") : 1000;
  long calls = 0, state = 1, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (long round = 0; round < rounds; ++round) {
    MPI_Request requests[fields][4];
    for (int f = 0; f < fields; ++f) {
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < words; ++i)
          out[f][side][i] = state = state * 6364136223846793005l + rank + side;
      MPI_Irecv(in[f][0], words, MPI_LONG, left, 1, MPI_COMM_WORLD, &requests[f][0]);
      MPI_Irecv(in[f][1], words, MPI_LONG, right, 2, MPI_COMM_WORLD, &requests[f][1]);
      MPI_Isend(out[f][0], words, MPI_LONG, left, 2, MPI_COMM_WORLD, &requests[f][2]);
      MPI_Isend(out[f][1], words, MPI_LONG, right, 1, MPI_COMM_WORLD, &requests[f][3]);
    }
    for (int f = 0; f < fields; ++f)
      MPI_Waitall(4, requests[f], MPI_STATUSES_IGNORE);
    calls += 5 * fields;
    if (round % 10 == 0) {
      MPI_Allreduce(&state, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      ++calls;
    }
  }
  if (rank == 0)
    printf("calls %ld\n", calls * size);
  MPI_Finalize();
  return 0;
}
