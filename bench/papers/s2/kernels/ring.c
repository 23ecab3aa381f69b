/* A ring pipeline: blocks of bodies travel around the ring, and each rank adds the forces between its own
 * bodies and the visiting ones. The next block is asked for and the present one sent on before the
 * computation, but both are waited for at once, as beginners write it.
 *
 * ring BODIES ITERATIONS: bodies of all ranks together (a multiple of the ranks), trips around the ring. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add_forces(int n, const double* own, const double* visiting, double* force) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) {
      const double d = own[i] - visiting[j];
      sum += d / (d * d + 1e-3);
    }
    force[i] += sum;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bodies = argc > 1 ? atoi(argv[1]) : 4096, trips = argc > 2 ? atoi(argv[2]) : 2;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = bodies / ranks, right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  double* own = malloc(sizeof(double) * (size_t)n);
  double* force = calloc((size_t)n, sizeof(double));
  double* block[2] = {malloc(sizeof(double) * (size_t)n), malloc(sizeof(double) * (size_t)n)};
  for (int i = 0; i < n; ++i)
    own[i] = block[0][i] = sin(1.0 + rank * n + i) * 10;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  int now = 0;
  for (int step = 0; step < trips * ranks; ++step) {
    MPI_Request requests[2];
    MPI_Irecv(block[!now], n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(block[now], n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    add_forces(n, own, block[now], force);
    now = !now;
  }
  const double mine = MPI_Wtime() - start;
  double sum = 0, all, seconds;
  for (int i = 0; i < n; ++i)
    sum += force[i] * force[i];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("checksum %.13e\nseconds %.17g\n", all, seconds);
  MPI_Finalize();
  return 0;
}
