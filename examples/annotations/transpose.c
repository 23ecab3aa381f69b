/* The transpose of NAS FT (Figure 15 of seed 003): rows of complex numbers are computed one by one, then an all-to-all exchange turns
 * rows into columns. The annotation says that the loop which produces the rows may overlap with the exchange.
 *
 *     transpose [rows of each process [steps]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WORK
#define WORK 8
#endif

/* Stands for the transforms of a row: all that matters is that it takes a while and is the same everywhere. */
static void compute_row(double* row, int length, int number, int step) {
  for (int j = 0; j < length; ++j) {
    double value = number * 1000.0 + j + step;
    for (int k = 0; k < WORK; ++k)
      value = 0.5 * value + 1.0 / (1.0 + value);
    row[2 * j] = value;
    row[2 * j + 1] = -value;
  }
}

/* rows × (rows * size) complex numbers, ordered by the process that gets them, so that one call sends all. */
static void exchange_rows(double* array, double* received, double* row, int rows, int rank, int size,
                          int step, MPI_Comm comm) {
  const int length = rows * size, block = 2 * rows * rows;
  int i, p;
#pragma mpi overlap MPI_Alltoall(comm)
  {
    for (i = 0; i < rows; ++i) {
      compute_row(row, length, rank * rows + i, step);
      for (p = 0; p < size; ++p)
        memcpy(array + (size_t)p * block + 2 * i * rows, row + 2 * p * rows,
               2 * (size_t)rows * sizeof(double));
    }
    MPI_Alltoall(array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm);
  }
}

/* Column j of this process, from process p, row i: what process p computed for its row i. */
static int faults_in(const double* received, double* row, int rows, int rank, int size, int step) {
  int faults = 0;
  for (int p = 0; p < size; ++p)
    for (int i = 0; i < rows; ++i) {
      compute_row(row, rows * size, p * rows + i, step);
      faults += memcmp(received + (size_t)p * 2 * rows * rows + 2 * i * rows, row + 2 * rank * rows,
                       2 * (size_t)rows * sizeof(double)) != 0;
    }
  return faults;
}

#ifndef TACIT_NO_MAIN
int main(int argc, char** argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 4;
  int rank, size, faults = 0;
  double seconds = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t bytes = 2 * sizeof(double) * (size_t)rows * (size_t)rows * (size_t)size;
  double *array = (double*)malloc(bytes), *received = (double*)malloc(bytes);
  double* row = (double*)malloc(2 * sizeof(double) * (size_t)rows * (size_t)size);
  if (!array || !received || !row)
    MPI_Abort(MPI_COMM_WORLD, 3);
  for (int step = 0; step < steps; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    exchange_rows(array, received, row, rows, rank, size, step, MPI_COMM_WORLD);
    seconds += MPI_Wtime() - start;
    faults += faults_in(received, row, rows, rank, size, step);
  }
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("transpose: %d steps of %d rows on each of %d processes, %.3f ms a step, %d faults: %s\n", steps,
           rows, size, 1e3 * seconds / steps, faults, faults ? "WRONG" : "OK");
  free(array), free(received), free(row);
  MPI_Finalize();
  return faults != 0;
}
#endif
