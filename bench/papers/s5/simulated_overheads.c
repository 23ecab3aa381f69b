/* What a message keeps its sender and its receiver busy with: the numbers that simulated.py gives to the
 * simulator. Two processes exchange n messages of 16 bytes in both directions at once, posted as a program
 * would (receives, sends, wait). With n, the time grows by sender's plus receiver's share; the sender's is
 * timed apart. The tenth percentile of many rounds, because whatever else the machine does only adds to it.
 *
 *   mpicc -O2 simulated_overheads.c -o overheads && mpiexec -n 2 ./overheads          shared memory
 *   mpiexec -n 2 --mca pml ob1 --mca btl tcp,self ./overheads                         TCP (Open MPI)
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 256, bytes = 16, rounds = 4000 };

static char in[most][64], out[most][64];
static double post[rounds], whole[rounds];

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double low(double* times) {
  qsort(times, rounds, sizeof(double), by_value);
  return times[rounds / 10];
}

static void measure(int n, int peer, double* sending, double* all) {
  MPI_Request requests[2 * most];
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < n; ++i)
      MPI_Irecv(in[i], bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
    const double posted = MPI_Wtime();
    for (int i = 0; i < n; ++i)
      MPI_Isend(out[i], bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[n + i]);
    post[round] = MPI_Wtime() - posted;
    MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
    whole[round] = MPI_Wtime() - start;
  }
  *sending = low(post);
  *all = low(whole);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  double few_post, few_all, many_post, many_all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    fprintf(stderr, "overheads: run with 2 processes, not %d\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  measure(8, 1 - rank, &few_post, &few_all);
  measure(most, 1 - rank, &many_post, &many_all);
  const double both = (many_all - few_all) / (most - 8), send = (many_post - few_post) / (most - 8);
  if (rank == 0)
    printf("send %.3f us, receive %.3f us per message of %d B\n", send * 1e6, (both - send) * 1e6, bytes);
  MPI_Finalize();
  return 0;
}
