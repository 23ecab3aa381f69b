/* One million puts, most of them to the process's own window memory (Figure 9 of seed 003). As written, each is a call of MPI; with
 * the `rma` annotation, those that this process can reach become stores. A second phase changes the own memory by stores under a
 * lock; the `local_ldst` annotation says that it may be a shared one.
 *
 *     rma_ldst [accesses [per cent that are local]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUF_PER_PROC = 1000 };

/* The process whose memory the n-th block of accesses goes to. */
static int target_of(int block, int local_per_cent, int wrank, int wsize) {
  return block % 100 < local_per_cent ? wrank : (wrank + 1 + block % (wsize > 1 ? wsize - 1 : 1)) % wsize;
}

static void put_blocks(int* buf, MPI_Win win, int blocks, int local_per_cent, int wrank, int wsize) {
  (void)buf;
  for (int n = 0; n < blocks; ++n) {
    const int i = target_of(n, local_per_cent, wrank, wsize);
    const int base = wrank * BUF_PER_PROC;
    int j;
#pragma mpi rma(win, buf, int, MPI_INT, wsize, wrank)
    {
      MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
      for (j = 0; j < BUF_PER_PROC; j++) {
        MPI_Put(&wrank, 1, MPI_INT, i, base + j, 1, MPI_INT, win);
      }
      MPI_Win_unlock(i, win);
    }
  }
}

static void store_block(int* buf, MPI_Win win, int wrank, int wsize) {
  const int i = wrank, base = wsize * BUF_PER_PROC;
  int j;
#pragma mpi local_ldst(win, buf, int, MPI_INT, wsize, wrank) no_overlap
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i, 0, win);
    for (j = 0; j < BUF_PER_PROC; j++) {
      buf[base + j] = wrank;
    }
    MPI_Win_unlock(i, win);
  }
}

/* Places that differ from what must have been written there. */
static int faults_in(const int* buf, int blocks, int local_per_cent, int wrank, int wsize) {
  int faults = 0;
  for (int origin = 0; origin < wsize; ++origin) {
    int written = 0;
    for (int n = 0; n < blocks; ++n)
      written |= target_of(n, local_per_cent, origin, wsize) == wrank;
    for (int j = 0; j < BUF_PER_PROC; ++j)
      faults += buf[origin * BUF_PER_PROC + j] != (written ? origin : -1);
  }
  for (int j = 0; j < BUF_PER_PROC; ++j)
    faults += buf[wsize * BUF_PER_PROC + j] != wrank;
  return faults;
}

#ifndef TACIT_NO_MAIN
int main(int argc, char** argv) {
  const int blocks = (argc > 1 ? atoi(argv[1]) : 1000000) / BUF_PER_PROC;
  const int local_per_cent = argc > 2 ? atoi(argv[2]) : 99;
  int wrank, wsize, faults, *buf;
  double seconds;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &wrank);
  MPI_Comm_size(MPI_COMM_WORLD, &wsize);
  const int length = (wsize + 1) * BUF_PER_PROC;
  MPI_Win_allocate((MPI_Aint)((size_t)length * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &buf,
                   &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, wrank, 0, win);
  for (int j = 0; j < length; ++j)
    buf[j] = -1;
  MPI_Win_unlock(wrank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  seconds = MPI_Wtime();
  put_blocks(buf, win, blocks, local_per_cent, wrank, wsize);
  seconds = MPI_Wtime() - seconds;
  store_block(buf, win, wrank, wsize);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, wrank, 0, win);
  faults = faults_in(buf, blocks, local_per_cent, wrank, wsize);
  MPI_Win_unlock(wrank, win);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (wrank == 0)
    printf("rma_ldst: %d puts on each of %d processes, %.1f ns each, %d faults: %s\n", blocks * BUF_PER_PROC,
           wsize, 1e9 * seconds / ((double)blocks * BUF_PER_PROC), faults, faults ? "WRONG" : "OK");
  MPI_Win_free(&win);
  MPI_Finalize();
  return faults != 0;
}
#endif
