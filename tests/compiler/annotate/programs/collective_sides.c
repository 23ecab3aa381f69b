// ranks=3
// Processes that come to a fence by statements of their own: one puts, one has nothing to do, one shall collect nothing.
#include <mpi.h>
#include <stdio.h>

enum { N = 8 };

static void exchange(MPI_Win w, long* base, int rank, long value) {
  if (rank == 0) {
#pragma mpi osc_coalesce(w, base, long, MPI_LONG) collective
    {
      for (int i = 0; i < 4; ++i)
        MPI_Put(&value, 1, MPI_LONG, 1, i, 1, MPI_LONG, w);
      MPI_Win_fence(0, w);
    }
  } else if (rank == 1) {
#pragma mpi osc_coalesce(w, base, long, MPI_LONG) collective
    MPI_Win_fence(0, w);
  } else {
#pragma mpi osc_coalesce(w, base, long, MPI_LONG) collective never
    {
      MPI_Accumulate(&value, 1, MPI_LONG, 1, 4, 1, MPI_LONG, MPI_SUM, w);
      MPI_Win_fence(0, w);
    }
  }
}

int main(int argc, char** argv) {
  int rank;
  long *base, sum = 0;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  for (int i = 0; i < N; ++i)
    base[i] = rank;
  MPI_Win_fence(0, win);
  for (int round = 0; round < 3; ++round)
    exchange(win, base, rank, 10 + round + rank);
  for (int i = 0; i < N; ++i)
    sum += base[i] * (i + 1);
  MPI_Reduce(rank ? &sum : MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld\n", sum);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
