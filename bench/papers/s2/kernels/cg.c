/* Conjugate gradients as in NPB CG: a sparse matrix in blocks on a square grid of ranks. The product of a
 * block row is summed up over the row of ranks by recursive doubling, the result goes to the transposed rank,
 * and scalar products are summed up the same way; all with Irecv, Send, Wait.
 *
 * cg UNKNOWNS ITERATIONS: a multiple of the side of the grid; ranks: 1, 4, 16, 64. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { neighbours = 12 };

static int rank, ranks, side, row, column, n;
static int *starts, *columns;
static double* values;

/* The matrix: symmetric, circulant in its pattern, diagonally dominant. */
static int distance(int which, int unknowns) {
  return (int)((long)(which + 1) * (which + 3) * unknowns / (2 * (neighbours + 1) * (neighbours + 3))) +
         which + 1;
}

static void add_entry(int* count, int own, int global_column, int first_column, double value) {
  if (global_column < first_column || global_column >= first_column + n)
    return;
  columns[*count] = global_column - first_column;
  values[(*count)++] = value;
  starts[own + 1] = *count;
}

static void make_matrix(int unknowns) {
  starts = calloc((size_t)n + 1, sizeof *starts);
  columns = malloc(sizeof *columns * (size_t)n * (2 * neighbours + 1));
  values = malloc(sizeof *values * (size_t)n * (2 * neighbours + 1));
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const int global = row * n + i;
    starts[i + 1] = count;
    add_entry(&count, i, global, column * n, 2.0 * neighbours + 0.1);
    for (int k = 0; k < neighbours; ++k) {
      const int far = distance(k, unknowns), up = (global + far) % unknowns,
                down = (global + unknowns - far) % unknowns;
      add_entry(&count, i, up, column * n, -1.0 / (1 + (global + up) % 5));
      add_entry(&count, i, down, column * n, -1.0 / (1 + (global + down) % 5));
    }
  }
}

static void multiply(const double* restrict x, double* restrict y) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; ++k)
      sum += values[k] * x[columns[k]];
    y[i] = sum;
  }
}

/* Sums y up over the ranks of this row. */
static void sum_row(double* restrict y, double* restrict other) {
  for (int bit = 1; bit < side; bit *= 2) {
    MPI_Request request;
    const int partner = row * side + (column ^ bit);
    MPI_Irecv(other, n, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD, &request);
    MPI_Send(y, n, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      y[i] += other[i];
  }
}

/* From pieces by row to pieces by column. */
static void transpose(const double* y, double* x) {
  MPI_Request request;
  const int partner = column * side + row;
  MPI_Irecv(x, n, MPI_DOUBLE, partner, 2, MPI_COMM_WORLD, &request);
  MPI_Send(y, n, MPI_DOUBLE, partner, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double dot(const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  for (int bit = 1; bit < side; bit *= 2) {
    MPI_Request request;
    double other;
    const int partner = row * side + (column ^ bit);
    MPI_Irecv(&other, 1, MPI_DOUBLE, partner, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&sum, 1, MPI_DOUBLE, partner, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += other;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int unknowns = argc > 1 ? atoi(argv[1]) : 4096, iterations = argc > 2 ? atoi(argv[2]) : 20;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  side = (int)(sqrt(ranks) + 0.5);
  row = rank / side;
  column = rank % side;
  n = unknowns / side;
  make_matrix(unknowns);
  const size_t bytes = sizeof(double) * (size_t)n;
  double *x = calloc((size_t)n, sizeof(double)), *r = malloc(bytes), *p = malloc(bytes), *q = malloc(bytes),
         *w = malloc(bytes), *other = malloc(bytes);
  for (int i = 0; i < n; ++i)
    r[i] = p[i] = sin(column * n + i);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double rho = dot(r, r), total = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    multiply(p, w);
    sum_row(w, other);
    transpose(w, q);
    const double alpha = rho / dot(p, q);
    for (int i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double before = rho;
    rho = dot(r, r);
    const double beta = rho / before;
    for (int i = 0; i < n; ++i)
      p[i] = r[i] + beta * p[i];
    total += sqrt(rho);
  }
  const double norm = sqrt(dot(x, x));
  const double mine = MPI_Wtime() - start;
  double seconds;
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("checksum %.13e\nseconds %.17g\n", norm + total, seconds);
  MPI_Finalize();
  return 0;
}
