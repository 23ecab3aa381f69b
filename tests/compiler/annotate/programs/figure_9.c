/* ranks=3
 * Figure 9 of the paper, both halves: puts of which some stay on the process, and stores under an exclusive lock. */
#include <mpi.h>
#include <stdio.h>

enum { BUF_PER_PROC = 40 };

int main(int argc, char** argv) {
  int wrank, wsize, i, j, *buf;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &wrank);
  MPI_Comm_size(MPI_COMM_WORLD, &wsize);
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)sizeof(int) * BUF_PER_PROC * wsize, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &buf, &win);
  for (i = 0; i < BUF_PER_PROC * wsize; i++)
    buf[i] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  for (i = 0; i < wsize; i++) {
    const int base = wrank * BUF_PER_PROC;
#pragma mpi rma(win,buf,int,MPI_INT,wsize,wrank)
    {
      MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
      for (j = 0; j < BUF_PER_PROC; j++) {
        MPI_Put(&wrank,1,MPI_INT,i,base+j,1,MPI_INT,win);
      }
      MPI_Win_unlock(i, win);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  long sum = 0, all[2] = {0, 0};
  i = wrank;
  MPI_Win_lock(MPI_LOCK_SHARED, wrank, 0, win);
  for (j = 0; j < BUF_PER_PROC * wsize; j++)
    sum += (long)buf[j] * (j + 1);
  MPI_Win_unlock(wrank, win);
  MPI_Reduce(&sum, &all[0], 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  const int base = wrank * BUF_PER_PROC;
#pragma mpi local_ldst(win,buf,int,MPI_INT,wsize,wrank) \
  no_overlap
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i, 0, win);
    for (j = 0; j < BUF_PER_PROC; j++) {
      buf[base+j] = wrank + 5;
    }
    MPI_Win_unlock(i, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  sum = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, wrank, 0, win);
  for (j = 0; j < BUF_PER_PROC * wsize; j++)
    sum += (long)buf[j] * (j + 1);
  MPI_Win_unlock(wrank, win);
  MPI_Reduce(&sum, &all[1], 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (wrank == 0)
    printf("%ld %ld\n", all[0], all[1]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
