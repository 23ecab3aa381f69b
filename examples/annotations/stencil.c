/* A stencil in three dimensions on a grid of processes (Figure 7 of seed 003): halos in the directions north and south travel on one
 * communicator, those in east and west on another, by blocking calls. The annotations say which parts of the computation do
 * not need which halos, so that the calls can become nonblocking and the computation run meanwhile. The result is compared
 * with that of one process alone.
 *
 *     stencil [edge of the cube [steps]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nx × ny × nz values of this process; x runs east, y south, z to the rear. Values outside of the cube are zero. */
#define AT(d, x, y, z) ((d)[((size_t)(x) * (size_t)ny + (size_t)(y)) * (size_t)nz + (size_t)(z)])

static double point(const double* d, int nx, int ny, int nz, int x, int y, int z, const double* north,
                    const double* south, const double* west, const double* east) {
  const double w = x > 0 ? AT(d, x - 1, y, z) : west ? west[y * nz + z] : 0;
  const double e = x < nx - 1 ? AT(d, x + 1, y, z) : east ? east[y * nz + z] : 0;
  const double n = y > 0 ? AT(d, x, y - 1, z) : north ? north[x * nz + z] : 0;
  const double s = y < ny - 1 ? AT(d, x, y + 1, z) : south ? south[x * nz + z] : 0;
  const double f = z > 0 ? AT(d, x, y, z - 1) : 0;
  const double r = z < nz - 1 ? AT(d, x, y, z + 1) : 0;
  return 0.4 * AT(d, x, y, z) + 0.1 * (w + e + n + s + f + r);
}

/* Points whose neighbors are all here. */
static void compute_inner_stencil(double* next, const double* d, int nx, int ny, int nz) {
  for (int x = 1; x < nx - 1; ++x)
    for (int y = 1; y < ny - 1; ++y)
      for (int z = 0; z < nz; ++z)
        AT(next, x, y, z) = point(d, nx, ny, nz, x, y, z, NULL, NULL, NULL, NULL);
}

static void update_north_south(double* next, const double* d, int nx, int ny, int nz, const double* ns_buf) {
  for (int x = 1; x < nx - 1; ++x)
    for (int z = 0; z < nz; ++z) {
      AT(next, x, 0, z) = point(d, nx, ny, nz, x, 0, z, ns_buf, ns_buf + nx * nz, NULL, NULL);
      AT(next, x, ny - 1, z) = point(d, nx, ny, nz, x, ny - 1, z, ns_buf, ns_buf + nx * nz, NULL, NULL);
    }
}

static void update_east_west(double* next, const double* d, int nx, int ny, int nz, const double* ew_buf) {
  for (int y = 1; y < ny - 1; ++y)
    for (int z = 0; z < nz; ++z) {
      AT(next, 0, y, z) = point(d, nx, ny, nz, 0, y, z, NULL, NULL, ew_buf, ew_buf + ny * nz);
      AT(next, nx - 1, y, z) = point(d, nx, ny, nz, nx - 1, y, z, NULL, NULL, ew_buf, ew_buf + ny * nz);
    }
}

static void update_corners(double* next, const double* d, int nx, int ny, int nz, const double* ns_buf,
                           const double* ew_buf) {
  for (int corner = 0; corner < 4; ++corner) {
    const int x = corner & 1 ? nx - 1 : 0, y = corner & 2 ? ny - 1 : 0;
    for (int z = 0; z < nz; ++z)
      AT(next, x, y, z) = point(d, nx, ny, nz, x, y, z, ns_buf, ns_buf + nx * nz, ew_buf, ew_buf + ny * nz);
  }
}

static void fill_nssnd_buf(const double* d, double* nsnd_buf, double* ssnd_buf, int nx, int ny, int nz) {
  for (int x = 0; x < nx; ++x)
    for (int z = 0; z < nz; ++z) {
      nsnd_buf[x * nz + z] = AT(d, x, 0, z);
      ssnd_buf[x * nz + z] = AT(d, x, ny - 1, z);
    }
}

static void fill_ewsnd_buf(const double* d, double* wsnd_buf, double* esnd_buf, int nx, int ny, int nz) {
  for (int y = 0; y < ny; ++y)
    for (int z = 0; z < nz; ++z) {
      wsnd_buf[y * nz + z] = AT(d, 0, y, z);
      esnd_buf[y * nz + z] = AT(d, nx - 1, y, z);
    }
}

static double* zeros(int length) {
  double* const made = (double*)calloc((size_t)length, sizeof(double));
  if (!made)
    MPI_Abort(MPI_COMM_WORLD, 3);
  return made;
}

/* The result is in the buffer that is returned; both are the caller's. */
static double* run(double* data, double* data_next, int nx, int ny, int nz, int niter, MPI_Comm ns_comm,
                   MPI_Comm ew_comm) {
  int ns_id, ns_comm_size, ew_id, ew_comm_size, i;
  MPI_Status s;
  double *tmp, *nsnd_buf = zeros(nx * nz), *ssnd_buf = zeros(nx * nz), *ns_buf = zeros(2 * nx * nz);
  double *wsnd_buf = zeros(ny * nz), *esnd_buf = zeros(ny * nz), *ew_buf = zeros(2 * ny * nz);
  MPI_Comm_rank(ns_comm, &ns_id);
  MPI_Comm_size(ns_comm, &ns_comm_size);
  MPI_Comm_rank(ew_comm, &ew_id);
  MPI_Comm_size(ew_comm, &ew_comm_size);
#pragma mpi cco MPI_SendRecv(ew_comm, ns_comm)
  for (i = 0; i < niter; i++) {
    fill_nssnd_buf(data, nsnd_buf, ssnd_buf, nx, ny, nz);
    fill_ewsnd_buf(data, wsnd_buf, esnd_buf, nx, ny, nz);
    if (ns_id > 0)
      MPI_Send(nsnd_buf, nx * nz, MPI_DOUBLE, ns_id - 1, 0, ns_comm);
    if (ns_id < ns_comm_size - 1)
      MPI_Recv(ns_buf + nx * nz, nx * nz, MPI_DOUBLE, ns_id + 1, 0, ns_comm, &s);
    if (ns_id < ns_comm_size - 1)
      MPI_Send(ssnd_buf, nx * nz, MPI_DOUBLE, ns_id + 1, 0, ns_comm);
    if (ns_id > 0)
      MPI_Recv(ns_buf, nx * nz, MPI_DOUBLE, ns_id - 1, 0, ns_comm, &s);
    if (ew_id > 0)
      MPI_Send(wsnd_buf, ny * nz, MPI_DOUBLE, ew_id - 1, 0, ew_comm);
    if (ew_id < ew_comm_size - 1)
      MPI_Recv(ew_buf + ny * nz, ny * nz, MPI_DOUBLE, ew_id + 1, 0, ew_comm, &s);
    if (ew_id < ew_comm_size - 1)
      MPI_Send(esnd_buf, ny * nz, MPI_DOUBLE, ew_id + 1, 0, ew_comm);
    if (ew_id > 0)
      MPI_Recv(ew_buf, ny * nz, MPI_DOUBLE, ew_id - 1, 0, ew_comm, &s);
#pragma mpi indep MPI_SendRecv(ew_comm, ns_comm)
    {
      compute_inner_stencil(data_next, data, nx, ny, nz);
    }
#pragma mpi indep MPI_SendRecv(ew_comm)
    {
      update_north_south(data_next, data, nx, ny, nz, ns_buf);
    }
#pragma mpi indep MPI_SendRecv(ns_comm)
    {
      update_east_west(data_next, data, nx, ny, nz, ew_buf);
    }
    update_corners(data_next, data, nx, ny, nz, ns_buf, ew_buf);
    tmp = data_next;
    data_next = data;
    data = tmp;
  }
  free(nsnd_buf), free(ssnd_buf), free(ns_buf), free(wsnd_buf), free(esnd_buf), free(ew_buf);
  return data;
}

static double start_value(int x, int y, int z) {
  return (x * 7 + y * 13 + z * 29) % 101 / 101.0;
}

static void fill(double* data, int nx, int ny, int nz, int x0, int y0) {
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z)
        AT(data, x, y, z) = start_value(x0 + x, y0 + y, z);
}

/* Values that one process alone computes differently. */
static int faults_in(const double* mine, int edge, int nx, int ny, int x0, int y0, int steps) {
  double *a = zeros(edge * edge * edge), *b = zeros(edge * edge * edge);
  int faults = 0;
  fill(a, edge, edge, edge, 0, 0);
  const double* const all = run(a, b, edge, edge, edge, steps, MPI_COMM_SELF, MPI_COMM_SELF);
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      faults += memcmp(&mine[(x * ny + y) * edge], &all[((x0 + x) * edge + y0 + y) * edge],
                       (size_t)edge * sizeof(double)) != 0;
  free(a), free(b);
  return faults;
}

#ifndef TACIT_NO_MAIN
int main(int argc, char** argv) {
  const int edge = argc > 1 ? atoi(argv[1]) : 16, steps = argc > 2 ? atoi(argv[2]) : 10;
  int dims[2] = {0, 0}, rank, size, faults;
  MPI_Comm ns_comm, ew_comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  const int column = rank / dims[1], row = rank % dims[1];
  const int x0 = column * edge / dims[0], y0 = row * edge / dims[1];
  const int nx = (column + 1) * edge / dims[0] - x0, ny = (row + 1) * edge / dims[1] - y0;
  MPI_Comm_split(MPI_COMM_WORLD, column, row, &ns_comm);
  MPI_Comm_split(MPI_COMM_WORLD, row, column, &ew_comm);
  double *a = zeros(nx * ny * edge), *b = zeros(nx * ny * edge);
  fill(a, nx, ny, edge, x0, y0);
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = MPI_Wtime();
  const double* const mine = run(a, b, nx, ny, edge, steps, ns_comm, ew_comm);
  seconds = MPI_Wtime() - seconds;
  faults = faults_in(mine, edge, nx, ny, x0, y0, steps);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("stencil: %d steps of %d^3 values on %d x %d processes, %.3f ms a step, %d faults: %s\n", steps,
           edge, dims[0], dims[1], 1e3 * seconds / steps, faults, faults ? "WRONG" : "OK");
  free(a), free(b);
  MPI_Comm_free(&ns_comm);
  MPI_Comm_free(&ew_comm);
  MPI_Finalize();
  return faults != 0;
}
#endif
