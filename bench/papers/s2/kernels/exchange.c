/* Two ranks exchange a message per step and compute something else meanwhile; the waits stand before the
 * computation, where they are easiest to write.
 *
 * exchange BYTES STEPS WORK: bytes of a message, steps, sweeps over own data per step. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { points = 1 << 15 };

static double own[points];

static void work_on(int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int i = 0; i < points; ++i)
      own[i] = own[i] * 0.999 + 0.001 * (double)(i & 7);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20, steps = argc > 2 ? atoi(argv[2]) : 10;
  const int sweeps = argc > 3 ? atoi(argv[3]) : 0, n = bytes / (int)sizeof(double);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* out = malloc(sizeof(double) * (size_t)n);
  double* in = calloc((size_t)n, sizeof(double));
  for (int i = 0; i < n; ++i)
    out[i] = rank + i % 10;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[2];
    MPI_Irecv(in, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    work_on(sweeps);
    for (int i = 0; i < n; i += 512)
      sum += in[i];
    out[step % n] += 1;
  }
  const double mine = MPI_Wtime() - start;
  double seconds, all;
  sum += own[points / 3] * 1e-3;
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("checksum %.13e\nseconds %.17g\n", all, seconds);
  MPI_Finalize();
  return 0;
}
