// ranks=3
// Exchanges behind loops of many forms, each with block sizes from one element on; bounds that differ among the processes; loops that
// store out of order, whose parts leave behind the loop. Everything that arrives counts.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static double sum;

static double value_of(int i, int j, int round) {
  return (double)((i * 31 + j * 17 + round * 7 + rank * 3) % 101) / 8;
}
static void add(const double* received, int count) {
  for (int i = 0; i < count; ++i)
    sum += received[i] * (i % 13 + 1 + rank);
}

static void rows(double* array, double* received, int n, int round, MPI_Comm comm) {
  const int block = n * n;
#pragma mpi overlap MPI_Alltoall(comm)
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < size; ++p)
      for (int j = 0; j < n; ++j)
        array[p * block + i * n + j] = value_of(i, p * n + j, round);
  }
  MPI_Alltoall(array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm);
}
// Each process fills as many rows as it has: the rest stays as it was.
static void some_rows(double* array, double* received, int n, int round, MPI_Comm comm) {
  const int block = n * n, mine = rank == 1 ? n / 2 : n;
#pragma mpi overlap MPI_Alltoall(comm)
  {
    for (int i = rank % 2; i < mine; ++i)
      for (int p = 0; p < size; ++p) {
        double* const row = array + p * block + i * n;
        for (int j = 0; j < n; ++j) {
          row[j] = value_of(j, i, round);
          if (j == 5)
            continue;
          row[j] += row[0];
        }
      }
    MPI_Alltoall(array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm);
  }
}
// The last iterations store where the first ones did: no part may leave early.
static void again(double* array, double* received, int n, int round, MPI_Comm comm) {
#pragma mpi overlap MPI_Alltoall(comm)
  {
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p)
        for (int j = 0; j <= i; j++)
          array[p * n + j] = value_of(i, j, round) - p;
    MPI_Alltoall(array, n, MPI_DOUBLE, received, n, MPI_DOUBLE, comm);
    // Across the ends of blocks, and only one of them.
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < size; ++k)
        array[i + k * (n - 1)] = value_of(k, i, round);
      array[i] -= 1;
    }
    MPI_Alltoall(array, n, MPI_DOUBLE, received, n, MPI_DOUBLE, comm);
    for (int i = 0; i < n; ++i)
      array[rank * n + i] = i + round;
    MPI_Alltoall(array, n, MPI_DOUBLE, received, n, MPI_DOUBLE, comm);
  }
}
static void leaves(double* array, double* received, int n, int round, MPI_Comm comm) {
  double row[64];
  int i, p;
#pragma mpi overlap MPI_Alltoall(comm)
  {
    for (i = 0; i < n; i += 3) {
      if (i > n / 2 && rank == 0)
        break;
      for (p = 0; p < 64; ++p)
        row[p] = value_of(i, p, round);
      if (i == 3)
        continue;
      for (p = 0; p < size; ++p)
        memcpy(array + p * n + i, row + p, sizeof(double));
    }
    MPI_Alltoall(array, n, MPI_DOUBLE, received, n, MPI_DOUBLE, comm);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int sizes[] = {1, 2, 3, 7, 20, 48};
  for (int s = 0; s < 6; ++s) {
    const int n = sizes[s];
    const size_t bytes = sizeof(double) * (size_t)n * n * size;
    double *array = malloc(bytes), *received = malloc(bytes);
    for (size_t i = 0; i < bytes / sizeof(double); ++i)
      array[i] = received[i] = -1;
    for (int round = 0; round < 14; ++round) { // more than are measured
      rows(array, received, n, round, comm);
      add(received, n * n * size);
      some_rows(array, received, n, round, comm);
      add(received, n * n * size);
      again(array, received, n, round, comm);
      add(received, n * size);
      leaves(array, received, n, round, MPI_COMM_WORLD);
      add(received, n * size);
      sum += array[n * n * size - 1];
    }
    free(array);
    free(received);
  }
  double* all = malloc(size * sizeof(double));
  MPI_Gather(&sum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r)
    printf("%d %.17g\n", r, all[r]);
  free(all);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
