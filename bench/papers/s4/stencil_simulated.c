/* The stencil of examples/annotations/stencil.c on simulated ranks: as written or transformed (STENCIL names the file), or overlapped as
 * a good programmer would by hand (BY_HAND). simulated.py builds and runs it.
 *
 *     stencil EDGE STEPS      prints `seconds` a step and a `checksum` of the result */
#include "../../whole_number.h"

#define TACIT_NO_MAIN
#include STENCIL

#ifdef BY_HAND
/* All receives are posted first, and what needs a message waits for that message only. */
static double* run_by_hand(double* data, double* data_next, int nx, int ny, int nz, int niter,
                           MPI_Comm ns_comm, MPI_Comm ew_comm) {
  int ns_id, ns_size, ew_id, ew_size;
  double *nsnd_buf = zeros(nx * nz), *ssnd_buf = zeros(nx * nz), *ns_buf = zeros(2 * nx * nz);
  double *wsnd_buf = zeros(ny * nz), *esnd_buf = zeros(ny * nz), *ew_buf = zeros(2 * ny * nz);
  MPI_Comm_rank(ns_comm, &ns_id);
  MPI_Comm_size(ns_comm, &ns_size);
  MPI_Comm_rank(ew_comm, &ew_id);
  MPI_Comm_size(ew_comm, &ew_size);
  const int north = ns_id > 0 ? ns_id - 1 : MPI_PROC_NULL,
            south = ns_id + 1 < ns_size ? ns_id + 1 : MPI_PROC_NULL;
  const int west = ew_id > 0 ? ew_id - 1 : MPI_PROC_NULL,
            east = ew_id + 1 < ew_size ? ew_id + 1 : MPI_PROC_NULL;
  for (int i = 0; i < niter; i++) {
    MPI_Request ns[4], ew[4];
    MPI_Irecv(ns_buf, nx * nz, MPI_DOUBLE, north, 0, ns_comm, &ns[0]);
    MPI_Irecv(ns_buf + nx * nz, nx * nz, MPI_DOUBLE, south, 0, ns_comm, &ns[1]);
    MPI_Irecv(ew_buf, ny * nz, MPI_DOUBLE, west, 0, ew_comm, &ew[0]);
    MPI_Irecv(ew_buf + ny * nz, ny * nz, MPI_DOUBLE, east, 0, ew_comm, &ew[1]);
    fill_nssnd_buf(data, nsnd_buf, ssnd_buf, nx, ny, nz);
    MPI_Isend(nsnd_buf, nx * nz, MPI_DOUBLE, north, 0, ns_comm, &ns[2]);
    MPI_Isend(ssnd_buf, nx * nz, MPI_DOUBLE, south, 0, ns_comm, &ns[3]);
    fill_ewsnd_buf(data, wsnd_buf, esnd_buf, nx, ny, nz);
    MPI_Isend(wsnd_buf, ny * nz, MPI_DOUBLE, west, 0, ew_comm, &ew[2]);
    MPI_Isend(esnd_buf, ny * nz, MPI_DOUBLE, east, 0, ew_comm, &ew[3]);
    compute_inner_stencil(data_next, data, nx, ny, nz);
    MPI_Waitall(4, ns, MPI_STATUSES_IGNORE);
    update_north_south(data_next, data, nx, ny, nz, ns_buf);
    MPI_Waitall(4, ew, MPI_STATUSES_IGNORE);
    update_east_west(data_next, data, nx, ny, nz, ew_buf);
    update_corners(data_next, data, nx, ny, nz, ns_buf, ew_buf);
    double* const swapped = data_next;
    data_next = data;
    data = swapped;
  }
  free(nsnd_buf), free(ssnd_buf), free(ns_buf), free(wsnd_buf), free(esnd_buf), free(ew_buf);
  return data;
}
#define run run_by_hand
#endif

int main(int argc, char** argv) {
  int dims[2] = {0, 0}, rank, size;
  MPI_Comm ns_comm, ew_comm;
  MPI_Init(&argc, &argv);
  if (argc < 3)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int edge = whole_int(argv[1]), steps = whole_int(argv[2]);
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
  double seconds = MPI_Wtime(), slowest = 0, sum = 0, all = 0;
  const double* const mine = run(a, b, nx, ny, edge, steps, ns_comm, ew_comm);
  seconds = (MPI_Wtime() - seconds) / steps;
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < edge; ++z)
        sum += mine[((size_t)x * (size_t)ny + (size_t)y) * (size_t)edge + (size_t)z] *
               ((x0 + x) * 3 % 7 + (y0 + y) * 5 % 11 + z % 13);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("seconds %.12e\nchecksum %.12e\n", slowest, all);
    fflush(stdout);
  }
  free(a), free(b);
  MPI_Finalize();
  return 0;
}
