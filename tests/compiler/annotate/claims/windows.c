/* Claims about windows, true and false: each function is a program of its own (windows NAME); `said NAME RANK: words` as in messages.c.
 * ranks=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static int rank, size;
static long* memory;
static MPI_Win win;

static void collects(int target, int first, int step) {
  long value = rank;
/* said between 0: this region accumulates into bytes 64 to 72 of the window of process 0 while rank 1 accumulates into them */
/* said within 1: operations of this region touch bytes 0 to 8 of the window of process 0 twice */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  {
    MPI_Win_fence(0, win);
    for (int i = 0; i < 8; ++i)
      MPI_Accumulate(&value, 1, MPI_LONG, target, first + i * step, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
  }
}
static void apart(void) {
  for (int round = 0; round < 3; ++round)
    collects(0, 8 * ((rank + round) % 2), 1);
  collects(rank, 3, 2);
}
static void between(void) {
  collects(0, rank == 0 ? 1 : 8, 1);
}
static void within(void) {
  collects(0, rank == 1 ? 0 : 8, rank == 1 ? 0 : 1);
}

/* All may read one place. */
static void gets(void) {
  long got[8];
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  {
    MPI_Win_fence(0, win);
    for (int i = 0; i < 8; ++i)
      MPI_Get(&got[i], 1, MPI_LONG, 0, i, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}

/* One after the other, by locks that exclude each other. */
static void exclusive(void) {
  long value = 1;
  for (int round = 0; round < 20; ++round) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
    {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      for (int i = 0; i < 8; ++i)
        MPI_Accumulate(&value, 1, MPI_LONG, 0, i, 1, MPI_LONG, MPI_SUM, win);
      MPI_Win_unlock(0, win);
    }
  }
}

/* In turns, which a message says. */
static void in_turns(void) {
  long value = 1;
  for (int round = 0; round < 10; ++round) {
    if (rank == 1)
      MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
    {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      for (int i = 0; i < 8; ++i)
        MPI_Put(&value, 1, MPI_LONG, 0, i, 1, MPI_LONG, win);
      MPI_Win_unlock(0, win);
    }
    if (rank == 0)
      MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Each process changes its part of process 0's memory, process 0 by stores, and only while process 1 has its lock: a lock that excludes
 * others, as written, would wait for ever. */
static void relaxed(int mine, int theirs) {
  long value = 2 + rank;
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      long* buf = memory;
      MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
/* said race 0: this statement stores into bytes 40 to 48 of the window of process 0 while rank 1 puts into them */
/* said race_of_loads 0: this statement loads bytes 80 to 88 of the window of process 0 while rank 1 puts into them */
#pragma mpi local_ldst(win, buf, long, MPI_LONG, size, rank) no_overlap
      {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        for (int i = 0; i < 6; ++i)
          buf[mine + i] = buf[10 + i] + round;
        MPI_Win_unlock(0, win);
      }
      MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Put(&value, 1, MPI_LONG, 0, theirs, 1, MPI_LONG, win);
      MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_unlock(0, win);
    }
  }
}
static void no_race(void) {
  relaxed(0, 20);
}
static void race(void) {
  relaxed(0, 5);
}
static void race_of_loads(void) {
  relaxed(0, 10);
}
/* One after the other, which a barrier says. */
static void phases(void) {
  for (int round = 0; round < 5; ++round) {
    if (rank == 0) {
      long* buf = memory;
#pragma mpi local_ldst(win, buf, long, MPI_LONG, size, rank) no_overlap
      {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        for (int i = 0; i < 6; ++i)
          buf[i] = round;
        MPI_Win_unlock(0, win);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      long value = 1;
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Put(&value, 1, MPI_LONG, 0, 3, 1, MPI_LONG, win);
      MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* What the rma annotation makes copies of are accesses, too. */
static void copies(void) {
  long value = rank;
  for (int round = 0; round < 2; ++round) {
    MPI_Win_fence(0, win);
    if (rank == 0) {
#pragma mpi rma(win, memory, long, MPI_LONG, size, rank)
      {
        for (int i = 0; i < 4; ++i)
          MPI_Put(&value, 1, MPI_LONG, 0, 8 * round + i, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
      }
    } else {
/* said copies 1: this region puts into bytes 64 to 72 of the window of process 0 while rank 0 puts into them */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
      {
        MPI_Put(&value, 1, MPI_LONG, 0, 8, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
      }
    }
  }
}

/* The displacement is counted in units of the target, which need not be those of others. */
static void units(void) {
  MPI_Win other;
  int *cells, values[4] = {1, 2, 3, 4};
  MPI_Win_allocate(N * sizeof(int), rank ? 8 : 4, MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &other);
  MPI_Win_fence(0, other);
/* said units 0: the displacement units of this window differ among its processes */
/* said units 1: the displacement units of this window differ among its processes */
#pragma mpi osc_coalesce(other, cells, int, MPI_INT, MPI_COMM_WORLD)
  {
    for (int i = 0; i < 4; ++i)
      MPI_Put(&values[i], 1, MPI_INT, 1 - rank, i, 1, MPI_INT, other);
    MPI_Win_fence(0, other);
  }
  for (int i = 0; i < 4; ++i)
    if (cells[i * (rank ? 2 : 1)] != values[i])
      printf("rank %d: place %d has %d\n", rank, i, cells[i * (rank ? 2 : 1)]);
  MPI_Win_free(&other);
}

/* All come to the fences of a region together, or one to a fence elsewhere. */
static void together(int to_another) {
  long value = 1 + rank;
  MPI_Win_fence(0, win);
  memset(memory, 0, N * sizeof(long));
  MPI_Win_fence(0, win);
  if (to_another && rank == 1) {
    MPI_Accumulate(&value, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
  } else {
/* said one_elsewhere 0: another process of the window comes to this fence outside of the region, but the pragma says collective */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) collective
    {
      MPI_Accumulate(&value, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_SUM, win);
      MPI_Win_fence(0, win);
    }
  }
  if (rank == 0 && memory[3] != 3)
    printf("rank 0: place 3 has %ld\n", memory[3]);
  MPI_Win_fence(0, win);
}
static void all_together(void) {
  together(0);
}
static void one_elsewhere(void) {
  together(1);
}

/* Synchronizes where the region does not see it: a claim says that it does not. */
static MPI_Win another;
static __attribute__((noinline)) void complete(MPI_Win which, int target) {
  if (which != MPI_WIN_NULL)
    MPI_Win_flush(target, which);
}
static void flushes(MPI_Win which) {
  long value = 1, *cells;
  MPI_Win_allocate(N * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &another);
  MPI_Win_lock_all(0, another);
  MPI_Win_lock_all(0, win);
/* said flushed_elsewhere 1: MPI_Win_flush does not complete what this region has collected */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD)
  {
    MPI_Put(&value, 1, MPI_LONG, 0, 8 * rank, 1, MPI_LONG, win);
    if (rank == 1) {
#pragma mpi indep MPI_Win(win)
      complete(which == MPI_WIN_NULL ? another : which, 0);
    }
    MPI_Put(&value, 1, MPI_LONG, 0, 8 * rank + 1, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_unlock_all(another);
  MPI_Win_free(&another);
}
static void flushes_another(void) {
  flushes(MPI_WIN_NULL);
}
static void flushed_elsewhere(void) {
  flushes(win);
}

/* Operations in front of the region, of the same process. */
static void put_before(int completes, int place) {
  long value = 1;
  MPI_Win_lock_all(0, win);
  MPI_Put(&value, 1, MPI_LONG, 0, place, 1, MPI_LONG, win);
  if (completes)
    MPI_Win_flush(0, win);
/* said put_outside 1: this region puts into bytes 64 to 72 of the window of process 0 while rank 1 puts into them */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  {
    for (int i = 0; i < 4; ++i)
      MPI_Put(&value, 1, MPI_LONG, 0, 8 * rank + i, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
}
static void completed_before(void) {
  put_before(1, 8 * rank);
}
static void put_elsewhere(void) {
  put_before(0, 8 * rank + 5);
}
static void put_outside(void) {
  put_before(rank == 0, 8 * rank);
}

/* The synchronization stands behind the statement. */
static void synchronized_behind(int target, int divided_by) {
  long values[8] = {0};
  MPI_Win_fence(0, win);
/* said fenced_behind 1: operations of this region touch bytes 256 to 264 of the window of process 1 twice */
/* said fenced_behind_another 1: operations of this region touch bytes 256 to 264 of the window of process 0 twice */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  for (int i = 0; i < 8; ++i)
    MPI_Put(&values[i], 1, MPI_LONG, target, 32 * rank + i / divided_by, 1, MPI_LONG, win);
  MPI_Win_fence(0, win);
}
static void apart_behind(void) {
  synchronized_behind(0, 1);
}
static void fenced_behind(void) {
  synchronized_behind(rank, 1 + rank);
}
static void fenced_behind_another(void) {
  synchronized_behind(1 - rank, 1 + rank);
}

/* The same statement comes again, before a synchronization or behind one. */
static void comes_again(int completes) {
  long value = 1;
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < 2; ++round) {
/* said again_in_epoch 1: this region puts into bytes 64 to 96 of the window of process 0 while rank 1 puts into them */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
    for (int i = 0; i < 4; ++i)
      MPI_Put(&value, 1, MPI_LONG, 0, 8 * rank + i, 1, MPI_LONG, win);
    if (completes)
      MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
}
static void again(void) {
  comes_again(1);
}
static void again_in_epoch(void) {
  comes_again(rank == 0);
}

/* The synchronization is in the statement, but in a function that the transformer does not know. */
static void completed_by_function(int completes) {
  long value = 1;
  MPI_Win_lock_all(0, win);
/* said twice_around_function 1: operations of this region touch bytes 64 to 72 of the window of process 0 twice */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  {
    MPI_Put(&value, 1, MPI_LONG, 0, 8 * rank, 1, MPI_LONG, win);
    complete(completes ? win : MPI_WIN_NULL, 0);
    MPI_Put(&value, 1, MPI_LONG, 0, 8 * rank, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
}
static void twice_between_functions(void) {
  completed_by_function(1);
}
static void twice_around_function(void) {
  completed_by_function(rank == 0);
}

/* Operations in front of the statement and behind it, in one epoch of fences. */
static void put_around(int before, int behind) {
  long value = 1;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_LONG, 0, 32 * rank + before, 1, MPI_LONG, win);
/* said puts_around 1: this region puts into bytes 264 to 272 of the window of process 0 while rank 1 puts into them */
/* said puts_around 1: this region puts into bytes 280 to 288 of the window of process 0 while rank 1 puts into them */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  for (int i = 0; i < 4; ++i)
    MPI_Put(&value, 1, MPI_LONG, 0, 32 * rank + i, 1, MPI_LONG, win);
  MPI_Put(&value, 1, MPI_LONG, 0, 32 * rank + behind, 1, MPI_LONG, win);
  MPI_Win_fence(0, win);
}
static void puts_apart(void) {
  put_around(4, 5);
}
static void puts_around(void) {
  put_around(rank == 1 ? 1 : 4, rank == 1 ? 3 : 5);
}

/* Every second element, and those between. */
static void columns(int second) {
  long values[8] = {0};
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 2, MPI_LONG, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
/* said columns_meet 1: operations of this region touch bytes 144 to 152 of the window of process 0 twice */
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD) no_overlap
  {
    MPI_Put(values, 1, column, 0, 16 * rank, 1, column, win);
    MPI_Put(values, 1, column, 0, 16 * rank + second, 1, column, win);
    MPI_Win_fence(0, win);
  }
  MPI_Type_free(&column);
}
static void columns_apart(void) {
  columns(1);
}
static void columns_meet(void) {
  columns(rank == 1 ? 2 : 1);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"apart", apart},
             {"between", between},
             {"within", within},
             {"gets", gets},
             {"exclusive", exclusive},
             {"in_turns", in_turns},
             {"no_race", no_race},
             {"race", race},
             {"race_of_loads", race_of_loads},
             {"phases", phases},
             {"copies", copies},
             {"units", units},
             {"all_together", all_together},
             {"one_elsewhere", one_elsewhere},
             {"flushes_another", flushes_another},
             {"flushed_elsewhere", flushed_elsewhere},
             {"completed_before", completed_before},
             {"put_elsewhere", put_elsewhere},
             {"put_outside", put_outside},
             {"apart_behind", apart_behind},
             {"fenced_behind", fenced_behind},
             {"fenced_behind_another", fenced_behind_another},
             {"again", again},
             {"again_in_epoch", again_in_epoch},
             {"twice_between_functions", twice_between_functions},
             {"twice_around_function", twice_around_function},
             {"puts_apart", puts_apart},
             {"puts_around", puts_around},
             {"columns_apart", columns_apart},
             {"columns_meet", columns_meet}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(N * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, win);
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
      all[i].run();
      MPI_Barrier(MPI_COMM_WORLD);
      printf("rank %d ran %s, 0 faults\n", rank, all[i].name);
    }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
