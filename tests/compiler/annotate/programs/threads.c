/* ranks=2
 * Four threads of each process at once (MPI_THREAD_MULTIPLE), each with windows and a communicator of its own, and each with all that is
 * transformed: collected operations, local copies, relaxed locks, overlapped messages, pipelined exchanges. Where MPI does not let
 * threads call it, they come one after the other. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { threads = 4, cells = 96, rounds = 14, width = 8, rows = 24 };

struct work {
  int number;
  MPI_Comm comm;
  MPI_Win counted, kept, locked;
  long *counts, *keeps, *locks;
  double sum;
};

static int rank, size;

static void collect(struct work* w, int round) {
  const long ones[2] = {1, round};
#pragma mpi osc_coalesce(w->counted, w->counts, long, MPI_LONG, w->comm)
  {
    MPI_Win_fence(0, w->counted);
    for (int i = 0; i < 400; ++i) {
      const int at = (i * 7 + w->number * 3 + rank * 5 + round) % (cells * size);
      MPI_Accumulate(&ones[i % 2], 1, MPI_LONG, at / cells, at % cells, 1, MPI_LONG, MPI_SUM, w->counted);
    }
    MPI_Win_fence(0, w->counted);
  }
  for (int i = 0; i < cells; ++i)
    w->sum += (double)w->counts[i] * (i % 11 + 1);
}

static void together(struct work* w, int round) {
  const long most = 100 * round + w->number + rank;
#pragma mpi osc_coalesce(w->counted, w->counts, long, MPI_LONG, w->comm) collective
  {
    MPI_Win_fence(0, w->counted);
    for (int i = 0; i < cells; i += 3)
      MPI_Accumulate(&most, 1, MPI_LONG, (rank + i) % size, i, 1, MPI_LONG, MPI_MAX, w->counted);
    MPI_Win_fence(0, w->counted);
  }
  for (int i = 0; i < cells; ++i)
    w->sum += (double)w->counts[i] * (i % 5 + 1);
}

static void copy(struct work* w, int round) {
  const MPI_Win win = w->kept;
  long* const buf = w->keeps;
  for (int p = 0; p < size; ++p) {
#pragma mpi rma(win, buf, long, MPI_LONG, size, rank)
    {
      MPI_Win_lock(MPI_LOCK_SHARED, p, 0, win);
      for (int i = 0; i < cells / size; ++i) {
        const long value = round * 13 + i + w->number;
        MPI_Put(&value, 1, MPI_LONG, p, rank * (cells / size) + i, 1, MPI_LONG, win);
        MPI_Win_flush(p, win);
      }
      MPI_Win_unlock(p, win);
    }
  }
  MPI_Barrier(w->comm);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int i = 0; i < cells; ++i)
    w->sum += (double)buf[i] * (i % 7 + 1);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(w->comm);
}

static void load_and_store(struct work* w, int round) {
  const MPI_Win win = w->locked;
  long* const buf = w->locks;
#pragma mpi local_ldst(win, buf, long, MPI_LONG, size, rank) no_overlap
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int i = 1; i < cells; ++i)
      buf[i] = buf[i - 1] + round + w->number;
    MPI_Win_unlock(rank, win);
  }
  w->sum += (double)buf[cells - 1];
}

static void exchange_halos(struct work* w, int round) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double own[2000], out[40], in[40], inner = 0;
  MPI_Comm comm = w->comm;
  for (int i = 0; i < 2000; ++i)
    own[i] = (i * 3 + round + w->number + rank) % 17;
  for (int i = 0; i < 40; ++i)
    out[i] = own[i] + own[1999 - i];
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Sendrecv(out, 40, MPI_DOUBLE, right, w->number, in, 40, MPI_DOUBLE, left, w->number, comm, MPI_STATUS_IGNORE);
    for (int i = 40; i < 1960; ++i)
      inner += own[i] * own[i - 40];
    for (int i = 0; i < 40; ++i)
      inner += in[i] * (i + 1);
  }
  w->sum += inner;
}

static void transpose(struct work* w, int round) {
  const int block = rows * width;
  double* array = malloc(sizeof(double) * (size_t)(block * size));
  double* received = malloc(sizeof(double) * (size_t)(block * size));
  MPI_Comm comm = w->comm;
#pragma mpi overlap MPI_Alltoall(comm)
  for (int i = 0; i < rows; ++i)
    for (int p = 0; p < size; ++p)
      for (int j = 0; j < width; ++j)
        array[p * block + i * width + j] = (i * 31 + j * 17 + p * 5 + round + rank) % 23;
  MPI_Alltoall(array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm);
  for (int i = 0; i < block * size; ++i)
    w->sum += received[i] * (i % 13 + 1);
  free(array);
  free(received);
}

static void* run(void* given) {
  struct work* const w = given;
  for (int round = 0; round < rounds; ++round) {
    collect(w, round);
    exchange_halos(w, round);
    together(w, round);
    transpose(w, round);
    copy(w, round);
    load_and_store(w, round);
  }
  return NULL;
}

static long* window(MPI_Comm comm, MPI_Win* win) {
  long* memory;
  MPI_Win_allocate(cells * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &memory, win);
  memset(memory, 0, cells * sizeof(long));
  MPI_Barrier(comm);
  return memory;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct work all[threads];
  pthread_t running[threads];
  for (int t = 0; t < threads; ++t) {
    all[t].number = t;
    all[t].sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &all[t].comm);
    all[t].counts = window(all[t].comm, &all[t].counted);
    all[t].keeps = window(all[t].comm, &all[t].kept);
    all[t].locks = window(all[t].comm, &all[t].locked);
  }
  for (int t = 0; t < threads; ++t) {
    if (level == MPI_THREAD_MULTIPLE)
      pthread_create(&running[t], NULL, run, &all[t]);
    else
      run(&all[t]);
  }
  for (int t = 0; t < threads; ++t) {
    double sum = 0;
    if (level == MPI_THREAD_MULTIPLE)
      pthread_join(running[t], NULL);
    MPI_Reduce(&all[t].sum, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      printf("%d %.17g\n", t, sum);
  }
  for (int t = 0; t < threads; ++t) {
    MPI_Win_free(&all[t].counted);
    MPI_Win_free(&all[t].kept);
    MPI_Win_free(&all[t].locked);
    MPI_Comm_free(&all[t].comm);
  }
  MPI_Finalize();
  return 0;
}
