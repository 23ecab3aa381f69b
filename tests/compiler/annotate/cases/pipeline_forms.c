#include <mpi.h>
#include <stddef.h>
#include <string.h>
double value_of(int i, int j);
__attribute__((const)) double number(int i);

// Figure 15: rows of each process's block, filled with memcpy.
void rows_by_memcpy(double* array, double* received, double* row, int rows, int size, MPI_Comm comm) {
  const int block = rows * rows;
  int i, p;
#pragma mpi overlap MPI_Alltoall(comm)
  {
    for (i = 0; i < rows; ++i) {
      for (int j = 0; j < rows * size; ++j)
        row[j] = number(i + j);
      for (p = 0; p < size; ++p)
        memcpy(array + (size_t)p * block + i * rows, row + p * rows, rows * sizeof(double));
    }
    MPI_Alltoall(array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm);
  }
}
// The annotation on the loop itself, stores of one element, a pointer to the row; every second row, no braces around the body.
void elements(double* array, double* received, int n, int size, MPI_Comm comm) {
#pragma mpi overlap MPI_Alltoall
  for (int i = 2; i <= n; i += 2)
    for (int p = 0; p < size; ++p)
      for (int j = 0; j < n; ++j) {
        double* const row = array + p * n * n + (i - 2) * n;
        row[j] = 1;
        row[n + j] += number(j);
      }
  MPI_Alltoall(array, n * n, MPI_DOUBLE, received, n * n, MPI_DOUBLE, comm);
}
// Fields of an array of structures on the stack; a claim for what is not known.
struct pair {
  double re, im;
};
void structures(struct pair* received, int size, MPI_Comm comm) {
  struct pair send[8][100];
#pragma mpi overlap MPI_Alltoall(comm)
  for (int i = 0; i < 100; i++) {
    double v = 0;
#pragma mpi indep MPI_Alltoall(comm)
    v = value_of(i, size);
    for (int p = 0; p < size; p++) {
      send[p][i].re = v;
      send[p][i].im = -v;
    }
  }
  MPI_Alltoall(send, 200, MPI_DOUBLE, received, 200, MPI_DOUBLE, comm);
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
// RUN: %transform --diff --pipeline=always %s 2>/dev/null | grep -c TACIT_PIPELINE_ALWAYS | grep -x 3
// RUN: %transform --pipeline=never %s 2>/dev/null | cmp - %s
// RUN: %transform --diff --pipeline=puts %s 2>/dev/null | grep -c TACIT_PIPELINE_PUTS | grep -x 3
