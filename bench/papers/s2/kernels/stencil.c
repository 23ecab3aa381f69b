/* A 2-D five-point relaxation on a grid of ranks, periodic in both directions, with the exchange of borders
 * before each sweep and the norm of the change after it.
 *
 * stencil POINTS ITERATIONS: points per side of the whole field (a multiple of both sides of the grid of
 * ranks). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, columns, rows, north, south, west, east;
static int nx, ny; /* own points; fields have a border of one */
static double *border_west, *border_east, *from_west, *from_east;

#define at(field, i, j) (field)[(size_t)(i) * (size_t)(nx + 2) + (size_t)(j)]

static void exchange(double* field) {
  MPI_Request requests[8];
  for (int i = 1; i <= ny; ++i) {
    border_west[i - 1] = at(field, i, 1);
    border_east[i - 1] = at(field, i, nx);
  }
  MPI_Irecv(&at(field, 0, 1), nx, MPI_DOUBLE, north, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&at(field, ny + 1, 1), nx, MPI_DOUBLE, south, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(from_west, ny, MPI_DOUBLE, west, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(from_east, ny, MPI_DOUBLE, east, 3, MPI_COMM_WORLD, &requests[3]);
  MPI_Isend(&at(field, ny, 1), nx, MPI_DOUBLE, south, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Isend(&at(field, 1, 1), nx, MPI_DOUBLE, north, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Isend(border_east, ny, MPI_DOUBLE, east, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Isend(border_west, ny, MPI_DOUBLE, west, 3, MPI_COMM_WORLD, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= ny; ++i) {
    at(field, i, 0) = from_west[i - 1];
    at(field, i, nx + 1) = from_east[i - 1];
  }
}

static double sweep(const double* restrict from, double* restrict to) {
  double change = 0;
  for (int i = 1; i <= ny; ++i)
    for (int j = 1; j <= nx; ++j) {
      const double next = 0.2 * (at(from, i, j) + at(from, i - 1, j) + at(from, i + 1, j) +
                                 at(from, i, j - 1) + at(from, i, j + 1));
      const double d = next - at(from, i, j);
      at(to, i, j) = next;
      change += d * d;
    }
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int points = argc > 1 ? atoi(argv[1]) : 512, iterations = argc > 2 ? atoi(argv[2]) : 20;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int sides[2] = {0, 0};
  MPI_Dims_create(ranks, 2, sides);
  rows = sides[0];
  columns = sides[1];
  const int row = rank / columns, column = rank % columns;
  north = (row + rows - 1) % rows * columns + column;
  south = (row + 1) % rows * columns + column;
  west = row * columns + (column + columns - 1) % columns;
  east = row * columns + (column + 1) % columns;
  nx = points / columns;
  ny = points / rows;
  const size_t cells = (size_t)(nx + 2) * (size_t)(ny + 2);
  double *now = calloc(cells, sizeof(double)), *next = calloc(cells, sizeof(double));
  border_west = malloc(sizeof(double) * (size_t)ny);
  border_east = malloc(sizeof(double) * (size_t)ny);
  from_west = malloc(sizeof(double) * (size_t)ny);
  from_east = malloc(sizeof(double) * (size_t)ny);
  for (int i = 1; i <= ny; ++i)
    for (int j = 1; j <= nx; ++j)
      at(now, i, j) = sin((double)(row * ny + i) * 0.7) * cos((double)(column * nx + j) * 0.3);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double total = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    exchange(now);
    const double change = sweep(now, next);
    double all;
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    total += sqrt(all);
    double* swapped = now;
    now = next;
    next = swapped;
  }
  const double mine = MPI_Wtime() - start;
  double seconds;
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("checksum %.13e\nseconds %.17g\n", total, seconds);
  MPI_Finalize();
  return 0;
}
