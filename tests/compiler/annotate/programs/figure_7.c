/* ranks=4
 * Figure 7 of the paper: a stencil on a mesh of processes, with one communicator for each direction of exchange. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fill_nssnd_buf(const double* data, double* nsnd_buf, double* ssnd_buf, int nx, int ny, int nz) {
  for (int i = 0; i < ny * nz; ++i) {
    nsnd_buf[i] = data[i];
    ssnd_buf[i] = data[(nx - 1) * ny * nz + i];
  }
}
static void fill_ewsnd_buf(const double* data, double* esnd_buf, double* wsnd_buf, int nx, int ny, int nz) {
  for (int i = 0; i < nx * nz; ++i) {
    esnd_buf[i] = data[i / nz * ny * nz + (ny - 1) * nz + i % nz];
    wsnd_buf[i] = data[i / nz * ny * nz + i % nz];
  }
}
static void compute_inner_stencil(double* next, const double* data, int nx, int ny, int nz) {
  for (int i = 0; i < nx * ny * nz; ++i)
    next[i] = 0.5 * data[i] + 0.25 * data[(i + 1) % (nx * ny * nz)];
}
static void update_front_rear(double* next, const double* data, int nx, int ny, int nz) {
  for (int i = 0; i < nx * ny; ++i)
    next[i * nz] += 0.125 * data[i * nz + nz - 1];
}
static void update_north_south(double* next, const double* data, int nx, int ny, int nz, const double* ns_buf) {
  for (int i = 0; i < ny * nz; ++i) {
    next[i] += 0.0625 * (ns_buf[i] - data[i]);
    next[(nx - 1) * ny * nz + i] += 0.0625 * ns_buf[ny * nz + i];
  }
}
static void update_east_west(double* next, const double* data, int nx, int ny, int nz, const double* ew_buf) {
  for (int i = 0; i < nx * nz; ++i) {
    next[i / nz * ny * nz + i % nz] += 0.03125 * (ew_buf[i] - data[i]);
    next[i / nz * ny * nz + (ny - 1) * nz + i % nz] += 0.03125 * ew_buf[nx * nz + i];
  }
}
static void update_corners(double* next, const double* data, int nx, int ny, int nz, const double* ns_buf, const double* ew_buf) {
  next[0] += 0.01 * (ns_buf[0] + ew_buf[0]) + 0.001 * data[nx * ny * nz - 1];
}

int main(int argc, char** argv) {
  int rank, size, i, ns_id, ew_id, ns_comm_size, ew_comm_size;
  const int nx = 9, ny = 7, nz = 33, niter = 12;
  MPI_Status s;
  MPI_Comm ns_comm, ew_comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &ns_comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &ew_comm);
  MPI_Comm_rank(ns_comm, &ns_id);
  MPI_Comm_size(ns_comm, &ns_comm_size);
  MPI_Comm_rank(ew_comm, &ew_id);
  MPI_Comm_size(ew_comm, &ew_comm_size);
  double* data = calloc(nx * ny * nz, sizeof *data);
  double* data_next = calloc(nx * ny * nz, sizeof *data);
  double* nsnd_buf = calloc(ny * nz, sizeof *data);
  double* ssnd_buf = calloc(ny * nz, sizeof *data);
  double* esnd_buf = calloc(nx * nz, sizeof *data);
  double* wsnd_buf = calloc(nx * nz, sizeof *data);
  double* ns_buf = calloc(2 * ny * nz, sizeof *data);
  double* ew_buf = calloc(2 * nx * nz, sizeof *data);
  double* const nsrcv_buf = ns_buf; /* two names in the paper's listing, of one buffer */
  double* tmp;
  for (i = 0; i < nx * ny * nz; i++)
    data[i] = (double)((i * 37 + rank * 101) % 257) / 256;
#pragma mpi cco MPI_SendRecv(ew_comm,ns_comm)
  for( i=0; i<niter; i++){
    fill_nssnd_buf( data, nsnd_buf, ssnd_buf, nx, ny, nz );
    fill_ewsnd_buf( data, esnd_buf, wsnd_buf, nx, ny, nz );
    if (ns_id > 0 )
      MPI_Send(nsnd_buf,ny*nz,MPI_DOUBLE,ns_id-1,0,ns_comm);
    if (ns_id < ns_comm_size-1)
      MPI_Recv(ns_buf+ny*nz,ny*nz,MPI_DOUBLE,ns_id+1,0,ns_comm,&s);
    if (ns_id < ns_comm_size-1)
      MPI_Send(ssnd_buf,ny*nz,MPI_DOUBLE,ns_id+1,0,ns_comm);
    if (ns_id > 0 )
      MPI_Recv(ns_buf,ny*nz,MPI_DOUBLE,ns_id-1,0,ns_comm, &s);
    if (ew_id > 0 )
      MPI_Send(wsnd_buf,nx*nz,MPI_DOUBLE,ew_id-1,0,ew_comm);
    if (ew_id < ew_comm_size-1)
      MPI_Recv(ew_buf+nx*nz,nx*nz,MPI_DOUBLE,ew_id+1,0,ew_comm,&s);
    if (ew_id < ew_comm_size-1)
      MPI_Send(esnd_buf,nx*nz,MPI_DOUBLE,ew_id+1,0,ew_comm);
    if (ew_id > 0 )
      MPI_Recv(ew_buf,nx*nz,MPI_DOUBLE,ew_id-1,0,ew_comm, &s);
   #pragma mpi indep MPI_SendRecv(ew_comm, ns_comm)
    { compute_inner_stencil(data_next, data, nx, ny, nz);
      update_front_rear(data_next, data, nx,ny,nz); }
   #pragma mpi indep MPI_SendRecv(ew_comm)
    { update_north_south(data_next,data,nx,ny,nz,ns_buf); }
   #pragma mpi indep MPI_SendRecv(ns_comm)
    { update_east_west( data_next,data,nx,ny,nz,ew_buf); }
    update_corners( data_next,data,nx,ny,nz,nsrcv_buf,ew_buf);
    tmp = data_next; data_next = data; data = tmp;
  }
  double sum = 0, all = 0;
  for (i = 0; i < nx * ny * nz; i++)
    sum += data[i] * (i % 13 + 1);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.17g\n", all);
  MPI_Finalize();
  return 0;
}
