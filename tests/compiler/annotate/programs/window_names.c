/* ranks=3
 * Windows, operations and synchronizations that macros write, or another name: what is collected must have left before each of them. */
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 16 };
#define WINDOW win
#define ADD(what, at) MPI_Accumulate(&(what), 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_SUM, win)
#define MULTIPLY(w, what, at) MPI_Accumulate(&(what), 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_PROD, w)
#define FLUSH MPI_Win_flush_all(win)
#define FLUSHED(w, value) (MPI_Win_flush_all(w), MPI_Barrier(MPI_COMM_WORLD), MPI_Win_sync(w), (value))

static long listed_by_name(MPI_Win win, const long* base, int right) {
  long x = 3, y = 5, seen = 0;
#pragma mpi osc_coalesce(win, base, long, MPI_LONG)
  for (int i = 0; i < 6; ++i) {
    ADD(x, i % 2);
    MPI_Accumulate(&y, 1, MPI_LONG, right, i % 2, 1, MPI_LONG, MPI_PROD, win);
    MPI_Accumulate(&x, 1, MPI_LONG, right, i % 2, 1, MPI_LONG, MPI_BXOR, WINDOW);
    for (int again = 0; again < 2; ++again)
      MULTIPLY(win, x, 0);
    if (i == 2)
      FLUSH;
    if (i == 4) {
      seen += FLUSHED(win, base[0]);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  FLUSH;
  return seen;
}

static long listed_by_macro(MPI_Win win, const long* base, int right) {
  long x = 3, y = 5, seen = 0;
#pragma mpi osc_coalesce(WINDOW, base, long, MPI_LONG)
  for (int i = 0; i < 6; ++i) {
    MPI_Accumulate(&x, 1, MPI_LONG, right, 4 + i % 2, 1, MPI_LONG, MPI_SUM, WINDOW);
    MPI_Accumulate(&y, 1, MPI_LONG, right, 4 + i % 2, 1, MPI_LONG, MPI_PROD, win);
    MULTIPLY(WINDOW, x, 4);
    MPI_Accumulate(&x, 1, MPI_LONG, right, 4 + i % 2, 1, MPI_LONG, MPI_BXOR, WINDOW);
    if (i == 4) {
      seen += FLUSHED(win, base[4]);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Win_flush_all(win);
  return seen;
}

/* Two names of one window. */
static void listed_by_another_name(MPI_Win win, int right) {
  long x = 3;
  MPI_Win same = win;
#pragma mpi osc_coalesce(same, base, long, MPI_LONG)
  for (int i = 0; i < 6; ++i) {
    MPI_Accumulate(&x, 1, MPI_LONG, right, 6 + i % 2, 1, MPI_LONG, MPI_SUM, same);
    MPI_Accumulate(&x, 1, MPI_LONG, right, 6 + i % 2, 1, MPI_LONG, MPI_PROD, win);
  }
  MPI_Win_flush_all(win);
}

static long stored_directly(MPI_Win win, const long* base, int rank, int right) {
  long x = rank + 2;
#pragma mpi rma(win, base, long, MPI_LONG)
  for (int i = 0; i < 3; ++i) {
    MPI_Put(&x, 1, MPI_LONG, rank, 8 + i, 1, MPI_LONG, win);
    MPI_Put(&x, 1, MPI_LONG, right, 12 + i, 1, MPI_LONG, win);
    FLUSH;
  }
  return base[8];
}

int main(int argc, char** argv) {
  int rank, size;
  long *base, sums[4] = {0, 0, 0, 0}, all[4];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size;
  MPI_Win_allocate(CELLS * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  for (int i = 0; i < CELLS; ++i)
    base[i] = i + rank;
  MPI_Win_fence(0, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_lock_all(0, win);
  sums[0] = listed_by_name(win, base, right);
  sums[1] = listed_by_macro(win, base, right);
  listed_by_another_name(win, right);
  sums[2] = stored_directly(win, base, rank, right);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int i = 0; i < CELLS; ++i)
    sums[3] += base[i] * (i + 1);
  MPI_Win_unlock(rank, win);
  MPI_Reduce(sums, all, 4, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld %ld %ld %ld\n", all[0], all[1], all[2], all[3]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
