/* The puts of examples/annotations/rma_ldst.c, timed in turns in one process: as they are written, and with the calls that the
 * transformation of the `rma` annotation puts. What arrives is compared.
 *
 *     rma_ldst_bench accesses local_per_cent rounds       a line "round R plain NS local NS" for each round, of the slowest process */
#define TACIT_NO_MAIN
#include "../../whole_number.h"

#include "../../../examples/annotations/rma_ldst.c"

#include <tacit/coalesce.h>

static void put_blocks_local(int* buf, MPI_Win win, int blocks, int local_per_cent, int wrank, int wsize) {
  (void)buf;
  for (int n = 0; n < blocks; ++n) {
    const int i = target_of(n, local_per_cent, wrank, wsize);
    const int base = wrank * BUF_PER_PROC;
    int j;
    {
      const tacit_local local[1] = {*tacit_local_of(win, MPI_INT, 0)};
      MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
      for (j = 0; j < BUF_PER_PROC; j++) {
        tacit_local_put(local, &wrank, 1, MPI_INT, i, base + j, 1, MPI_INT, win);
      }
      tacit_local_sync(local);
      MPI_Win_unlock(i, win);
    }
  }
}

static void store_block_shared(int* buf, MPI_Win win, int wrank, int wsize) {
  const int i = wrank, base = wsize * BUF_PER_PROC;
  int j;
  {
    const tacit_local local[1] = {*tacit_local_of(win, MPI_INT, TACIT_LOCAL_NO_OVERLAP)};
    MPI_Win_lock(tacit_local_lock_type(local, MPI_LOCK_EXCLUSIVE), i, 0, win);
    for (j = 0; j < BUF_PER_PROC; j++) {
      buf[base + j] = wrank;
    }
    tacit_local_sync(local);
    MPI_Win_unlock(i, win);
  }
}

typedef void (*putter)(int*, MPI_Win, int, int, int, int);
typedef void (*storer)(int*, MPI_Win, int, int);

static int faults;

/* Nanoseconds a put on the slowest process. */
static double timed(putter put, storer store, int* buf, MPI_Win win, int blocks, int local_per_cent,
                    int wrank, int wsize) {
  double slowest;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, wrank, 0, win);
  for (int j = 0; j < (wsize + 1) * BUF_PER_PROC; ++j)
    buf[j] = -1;
  MPI_Win_unlock(wrank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  double time = MPI_Wtime();
  put(buf, win, blocks, local_per_cent, wrank, wsize);
  time = 1e9 * (MPI_Wtime() - time) / ((double)blocks * BUF_PER_PROC);
  store(buf, win, wrank, wsize);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, wrank, 0, win);
  faults += faults_in(buf, blocks, local_per_cent, wrank, wsize);
  MPI_Win_unlock(wrank, win);
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char** argv) {
  int wrank, wsize, *buf;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  if (argc < 4)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int blocks = whole_int(argv[1]) / BUF_PER_PROC, local_per_cent = whole_int(argv[2]),
            rounds = whole_int(argv[3]);
  MPI_Comm_rank(MPI_COMM_WORLD, &wrank);
  MPI_Comm_size(MPI_COMM_WORLD, &wsize);
  const size_t bytes = (size_t)(wsize + 1) * BUF_PER_PROC * sizeof(int);
  MPI_Win_allocate((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &buf, &win);
  for (int r = 0; r < rounds; ++r) {
    const double plain = timed(put_blocks, store_block, buf, win, blocks, local_per_cent, wrank, wsize);
    const double local =
        timed(put_blocks_local, store_block_shared, buf, win, blocks, local_per_cent, wrank, wsize);
    if (wrank == 0)
      printf("round %d plain %.3f local %.3f\n", r, plain, local);
  }
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (wrank == 0)
    printf("faults %d\n", faults);
  MPI_Win_free(&win);
  MPI_Finalize();
  return faults != 0;
}
