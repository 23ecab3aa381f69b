/* ranks=2
   One window under two names, each of which is given the value of the other in another way; what was collected under one is sent before the other
   one is flushed. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static MPI_Win win, second, pointed_to;

static void say(const char* name, int* got) {
  if (rank == 0)
    printf("%s: %d %d\n", name, got[1], got[7]);
  for (int i = 0; i < 8; ++i)
    got[i] = -1;
}
static void set(MPI_Win* which, MPI_Win value) {
  *which = value;
}
static void set_second(MPI_Win value) {
  second = value;
}

static void by_element(const int* values, int* got) {
  MPI_Win all[2] = {win, win};
#pragma mpi osc_coalesce(all[0], base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, all[0]);
    MPI_Win_flush(rank, win);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, win);
    MPI_Win_flush(rank, win);
  }
  say("element", got);
}
static void by_member(const int* values, int* got) {
  struct {
    MPI_Win window;
  } s;
  s.window = win;
#pragma mpi osc_coalesce(s.window, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, s.window);
    MPI_Win_flush(rank, win);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, win);
    MPI_Win_flush(rank, win);
  }
  say("member", got);
}
static void by_pointer(const int* values, int* got) {
  pointed_to = win;
  MPI_Win* p = &pointed_to;
#pragma mpi osc_coalesce(*p, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, *p);
    MPI_Win_flush(rank, pointed_to);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, pointed_to);
    MPI_Win_flush(rank, pointed_to);
  }
  say("pointer", got);
}
static void by_function(const int* values, int* got) {
  MPI_Win other;
  set(&other, win);
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, win);
    MPI_Win_flush(rank, other);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
  say("function", got);
}
static void by_global(const int* values, int* got) {
  set_second(win);
  const MPI_Win listed = win;
#pragma mpi osc_coalesce(listed, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, listed);
    MPI_Win_flush(rank, second);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, second);
    MPI_Win_flush(rank, second);
  }
  say("global", got);
}
static void by_bytes(const int* values, int* got) {
  MPI_Win other;
  const MPI_Win listed = win;
  memcpy(&other, &listed, sizeof other);
#pragma mpi osc_coalesce(listed, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, listed);
    MPI_Win_flush(rank, other);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
  say("bytes", got);
}
static void by_store(const int* values, int* got) {
  MPI_Win other, *p = &other;
  *p = win;
  const MPI_Win listed = win;
#pragma mpi osc_coalesce(listed, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, listed);
    MPI_Win_flush(rank, other);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
  say("store", got);
}
static void put_and_get(const int* values, int* got, MPI_Win listed, MPI_Win other) {
#pragma mpi osc_coalesce(listed, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, listed);
    MPI_Win_flush(rank, other);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
}
static void by_parameters(const int* values, int* got) {
  put_and_get(values, got, win, win);
  say("parameters", got);
}
static void put_and_get_by_global(const int* values, int* got, MPI_Win listed) {
#pragma mpi osc_coalesce(listed, base, int, MPI_INT)
  {
    for (int i = 0; i < 8; ++i)
      MPI_Put(&values[i], 1, MPI_INT, rank, i, 1, MPI_INT, listed);
    MPI_Win_flush(rank, win);
    MPI_Get(got, 8, MPI_INT, rank, 0, 8, MPI_INT, win);
    MPI_Win_flush(rank, win);
  }
}
static void by_pointer_to_function(const int* values, int* got) {
  static void (*const there)(const int*, int*, MPI_Win) = put_and_get_by_global;
  there(values, got, win);
  say("pointer to function", got);
}

int main(int argc, char** argv) {
  int* base;
  int values[8];
  int got[8];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_lock_all(0, win);
  static void (*const ways[])(const int*, int*) = {by_element, by_member, by_pointer, by_function,
                                                   by_global,  by_bytes,  by_store,   by_parameters, by_pointer_to_function};
  for (unsigned k = 0; k < sizeof ways / sizeof *ways; ++k) {
    for (int i = 0; i < 8; ++i) {
      values[i] = 10 * (int)k + i + 1;
      got[i] = -1;
    }
    ways[k](values, got);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
