/* The exchange of examples/annotations/transpose.c on simulated ranks: as written or transformed (TRANSPOSE names the file).
 * simulated.py builds and runs it.
 *
 *     transpose ROWS STEPS    prints `seconds` of one of the last four steps, and as `checksum` how many values are wrong
 *
 * The steps before are those in which a program that measures decides. */
#include "../../whole_number.h"

#define TACIT_NO_MAIN
#include TRANSPOSE

int main(int argc, char** argv) {
  int rank, size, faults = 0, all = 0;
  double begun = 0, seconds = 0, slowest = 0;
  MPI_Init(&argc, &argv);
  if (argc < 3)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int rows = whole_int(argv[1]), steps = whole_int(argv[2]), counted = 4;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t bytes = 2 * sizeof(double) * (size_t)rows * (size_t)rows * (size_t)size;
  double *array = (double*)malloc(bytes), *received = (double*)malloc(bytes);
  double* row = (double*)malloc(2 * sizeof(double) * (size_t)rows * (size_t)size);
  if (!array || !received || !row)
    MPI_Abort(MPI_COMM_WORLD, 3);
  for (int step = 0; step < steps; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    exchange_rows(array, received, row, rows, rank, size, step, MPI_COMM_WORLD);
    if (step >= steps - counted)
      seconds += (MPI_Wtime() - begun) / counted;
  }
  faults = faults_in(received, row, rows, rank, size, steps - 1);
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("seconds %.12e\nchecksum %d\n", slowest, all);
    fflush(stdout);
  }
  free(array), free(received), free(row);
  MPI_Finalize();
  return 0;
}
