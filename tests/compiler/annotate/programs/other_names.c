// ranks=2
// Windows and buffers that the annotated statement declares anew under the listed name, and statements that ask whether there is a window.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
static int rank, size;
static MPI_Win never;

static void two_windows(MPI_Win win, MPI_Win other, int* x) {
#pragma mpi rma(win, x, int, MPI_INT)
  {
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Put(x, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
    MPI_Win_unlock(rank, win);
    {
      MPI_Win win = other;
      MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
      MPI_Put(x + 1, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
      MPI_Win_unlock(rank, win);
    }
  }
}

static int two_buffers(MPI_Win win, int* buffer) {
  int kept = 0;
#pragma mpi local_ldst(win, buffer, int, MPI_INT) no_overlap incoherent
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    buffer[2] = 3;
    {
      int buffer[4];
      buffer[1] = 70 + rank;
      kept = buffer[1];
    }
    buffer[3] = kept;
    MPI_Win_unlock(rank, win);
  }
  return kept;
}

static int head_of_a_loop(MPI_Win win, int* buffer) {
  int i = 0;
#pragma mpi local_ldst(win, buffer, int, MPI_INT) no_overlap incoherent
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (buffer[4] = 9; i < 3; buffer[5] = i)
      ++i;
    MPI_Win_unlock(rank, win);
  }
  return i;
}

static int asks_for_one(MPI_Win win, const int* x) {
#pragma mpi rma(win, x, int, MPI_INT)
  if (win != MPI_WIN_NULL && win != never) {
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Put(x, 1, MPI_INT, rank, 6, 1, MPI_INT, win);
    MPI_Win_unlock(rank, win);
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  int *one, *two, x[2] = {5, 6}, mine[2 * N + 3], all[2 * (2 * N + 3)];
  MPI_Win win, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &one, &win);
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &two, &other);
  memset(one, 0, N * sizeof(int));
  memset(two, 0, N * sizeof(int));
  two_windows(win, other, x);
  mine[2 * N] = two_buffers(win, one);
  mine[2 * N + 1] = head_of_a_loop(win, one);
  mine[2 * N + 2] = asks_for_one(win, x) + asks_for_one(MPI_WIN_NULL, x) + asks_for_one(never, x);
  memcpy(mine, one, N * sizeof(int));
  memcpy(mine + N, two, N * sizeof(int));
  MPI_Gather(mine, 2 * N + 3, MPI_INT, all, 2 * N + 3, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size * (2 * N + 3); ++i)
    printf("%d ", all[i]);
  MPI_Win_free(&win);
  MPI_Win_free(&other);
  MPI_Finalize();
  return 0;
}
