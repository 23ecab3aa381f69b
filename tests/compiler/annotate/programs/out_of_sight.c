/* ranks=2
   What synchronizes a window without looking like it: by a copy of its handle, and behind a label of a switch. Loops that others' pragmas are
   about, and labels that lead into a block. */
#include <mpi.h>
#include <stdio.h>

#define PARALLEL _Pragma("GCC ivdep")

static int rank, size, up, lines;
static MPI_Win win;
static struct {
  MPI_Win window;
} shared;

static void say(int k, int* got) {
  if (rank == 0)
    printf("%d %d: %d %d\n", lines++, k, got[1], got[7]);
  for (int i = 0; i < 8; ++i)
    got[i] = -1;
}
__attribute__((noinline)) static void read_back(int* got) {
  MPI_Win_flush(rank, win);
  MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, win);
  MPI_Win_flush(rank, win);
}
static void labels(int k, const int* values, int* got) {
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, win);
    switch (k) {
    case 0:
    case 1:
      read_back(got);
      break;
    case 2: {
      read_back(got);
      break;
    }
    default:
      if (k == 3)
        read_back(got);
    }
    MPI_Win_flush(rank, win);
  }
  say(k, got);
}
static void copies(int k, const int* values, int* got) {
  MPI_Win all[2] = {win, win};
  MPI_Win of_member = shared.window, of_element = all[0], assigned;
  MPI_Win chosen = k > 1 ? win : all[1];
  assigned = of_member;
#pragma mpi osc_coalesce(shared.window, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, shared.window);
    MPI_Win_flush(rank, of_member);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, of_member);
    MPI_Win_flush(rank, of_member);
  }
  say(k, got);
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, 8 + i, 1, MPI_INT, win);
    MPI_Win_flush(rank, of_element);
    MPI_Get(got, 8, MPI_INT, rank, 8, 8, MPI_INT, assigned);
    MPI_Win_flush(rank, chosen);
  }
  say(k, got);
}
static double loops(int k, double* out, double* in) {
  double sum = 0;
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
  {
    MPI_Sendrecv(out, 90, MPI_DOUBLE, up, 1, in, 90, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 200; ++i)
      sum += i;
    PARALLEL
    for (int i = 0; i < 90; ++i)
      sum += in[i];
  }
  switch (k) {
  case 0: {
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
    {
      MPI_Sendrecv(out, 90, MPI_DOUBLE, up, 1, in, 90, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < 200; ++i)
        sum += i;
    case 1:
      for (int i = 0; i < 200; ++i)
        sum += i;
      in[k] += 1;
    }
  }
  }
  return sum + in[1];
}

int main(int argc, char** argv) {
  int* base;
  int values[8];
  int got[8] = {0};
  double out[90];
  double in[90];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  up = (rank + 1) % size;
  MPI_Win_allocate(400, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_lock_all(0, win);
  shared.window = win;
  for (int k = 0; k < 5; ++k) {
    for (int i = 0; i < 8; ++i)
      values[i] = 10 * k + i + 1;
    labels(k, values, got);
    copies(k, values, got);
    for (int i = 0; i < 90; ++i)
      out[i] = i * k + rank;
    const double sum = loops(k, out, in);
    if (rank == 0)
      printf("%d: %.17g\n", k, sum);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
