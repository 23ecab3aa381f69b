// ranks=3
// Receives and sends that are posted before the work in front of them: along a chain of processes, several at a time, with buffers
// that come again.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { N = 200 };
static int rank, size;

static double chain(int lower, int upper, MPI_Comm c, int round) {
  double work[N], in[N], out[N], other[N], sum = 0;
  for (int i = 0; i < N; ++i)
    work[i] = in[i] = out[i] = other[i] = rank + i + round;
#pragma mpi cco MPI_SendRecv(c)
  {
    for (int i = 0; i < N; ++i)
      work[i] = sqrt(work[i] + i);
    MPI_Recv(in, N, MPI_DOUBLE, lower, 0, c, MPI_STATUS_IGNORE);
    MPI_Recv(other, N, MPI_DOUBLE, lower, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      sum += work[i];
    for (int i = 0; i < N; ++i)
      out[i] += in[i] / 2 + other[i] / 4;
    for (int i = 0; i < N; ++i)
      work[i] += sum;
    MPI_Send(out, N, MPI_DOUBLE, upper, 0, c);
    for (int i = 0; i < N; ++i)
      sum += work[i];
    MPI_Send(in, N, MPI_DOUBLE, upper, 0, c);
    for (int i = 0; i < N; ++i)
      in[i] = i;
    for (int i = 0; i < N; ++i)
      sum -= in[i] / 8;
    MPI_Recv(in, N, MPI_DOUBLE, lower, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      sum += work[i] / 16;
    MPI_Send(work, N, MPI_DOUBLE, upper, 1, c);
    for (int i = 0; i < N; ++i)
      sum += in[i] + out[i];
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double sum = 0, all[64];
  for (int round = 0; round < 5; ++round)
    sum += chain(rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, MPI_COMM_WORLD, round);
  MPI_Gather(&sum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r)
    printf("%d %.17g\n", r, all[r]);
  MPI_Finalize();
  return 0;
}
