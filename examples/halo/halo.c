/* Heat in a plate: a five-point stencil on a grid of ranks, whose borders travel by one persistent
 * neighborhood collective. Nothing here knows of tacit:
 *
 *     mpicc -O2 halo.c -o halo
 *     tacit run --apply -- mpiexec -n 4 ./halo
 *
 * Usage: halo [cells per rank and dimension] [steps]. Prints the heat in the plate, the same with and without
 * tacit. */
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Neighbor_alltoallw_init MPIX_Neighbor_alltoallw_init /* as Open MPI 4.1 has it */
#endif

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 1000, width = n + 2;
  int rank, size, shape[2] = {0, 0}, open[2] = {0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, shape);
  MPI_Comm plate;
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, open, 0, &plate);
  MPI_Comm_rank(plate, &rank);

  double* now = calloc((size_t)width * (size_t)width, sizeof(double));
  double* next = calloc((size_t)width * (size_t)width, sizeof(double));
  if (rank == 0)
    now[width * (n / 2) + n / 2] = 1000;

  /* Neighbors: above, below, left, right. Each gets my outermost row or column and fills the rim beyond it.
   */
  MPI_Datatype row, column, types[4];
  MPI_Type_contiguous(n, MPI_DOUBLE, &row);
  MPI_Type_vector(n, 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&row);
  MPI_Type_commit(&column);
  const int corners[2][4] = {{width + 1, width * n + 1, width + 1, width + n},
                             {1, width * (n + 1) + 1, width, width + n + 1}};
  const int counts[4] = {1, 1, 1, 1};
  MPI_Aint out[4], in[4];
  for (int i = 0; i < 4; i++) {
    types[i] = i < 2 ? row : column;
    out[i] = (MPI_Aint)sizeof(double) * corners[0][i];
    in[i] = (MPI_Aint)sizeof(double) * corners[1][i];
  }
  MPI_Request borders[2];
  double* fields[2] = {now, next};
  for (int i = 0; i < 2; i++)
    MPI_Neighbor_alltoallw_init(fields[i], counts, out, types, fields[i], counts, in, types, plate,
                                MPI_INFO_NULL, &borders[i]);

  MPI_Barrier(plate);
  const double begun = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    const double* from = fields[step % 2];
    double* to = fields[1 - step % 2];
    MPI_Start(&borders[step % 2]);
    MPI_Wait(&borders[step % 2], MPI_STATUS_IGNORE);
    for (int y = 1; y <= n; y++)
      for (int x = 1; x <= n; x++) {
        const double* at = from + width * y + x;
        to[width * y + x] = 0.5 * at[0] + 0.125 * (at[-1] + at[1] + at[-width] + at[width]);
      }
  }
  const double seconds = MPI_Wtime() - begun;

  double heat = 0, all = 0;
  for (int y = 1; y <= n; y++)
    for (int x = 1; x <= n; x++)
      heat += fields[steps % 2][width * y + x];
  MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, plate);
  if (rank == 0) {
    printf("%d x %d ranks, %d steps: heat %.12e\n", shape[0], shape[1], steps, all);
    fprintf(stderr, "%.2f us per step\n", 1e6 * seconds / steps);
  }
  for (int i = 0; i < 2; i++) {
    MPI_Request_free(&borders[i]);
    free(fields[i]);
  }
  MPI_Type_free(&row);
  MPI_Type_free(&column);
  MPI_Comm_free(&plate);
  MPI_Finalize();
  return 0;
}
