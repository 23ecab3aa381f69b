// options: mode=aggressive collectives=on
/* Blocking collectives started as nonblocking ones. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096 };
extern double* work;
void unknown(void);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

void broadcast(double* restrict b) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
  b[0] += 1;
}
/* Both ways start one, so that they match. */
void two_ways(double* restrict a, double* restrict b, int rank) {
  if (rank == 0)
    MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  else
    PMPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void sum(double* restrict a, double* restrict b) {
  MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void in_place(double* restrict b) {
  MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void to_root(double* restrict a, double* restrict b) {
  MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
  MPI_Gather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
  MPI_Gather(a, 8, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void from_root(double* restrict a, double* restrict b) {
  MPI_Scatter(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void everybody(double* restrict a, double* restrict b) {
  MPI_Allgather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD); // moved
  COMPUTE;
  PMPI_Alltoall(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void with_counts(double* restrict a, double* restrict b, int* restrict counts, int* restrict displs) {
  MPI_Alltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD); // moved
  COMPUTE;
  MPI_Allgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD); // moved
  COMPUTE;
  MPI_Gatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
  MPI_Scatterv(a, counts, displs, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
}
void in_a_loop(double* restrict a, double* restrict b) {
  for (int k = 0; k < 10; k++) {
    MPI_Bcast(b, n, MPI_DOUBLE, k % 2, MPI_COMM_WORLD); // moved
    COMPUTE;
    a[k] = b[k];
  }
}

/* The completion cannot move: started and completed at once, because others may start theirs. */
void used_at_once(double* restrict b) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // stays TACIT-105
  work[0] = b[0];
  COMPUTE;
}
void sent_data_written(double* restrict a, double* restrict b) {
  MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // stays TACIT-104
  a[0] = 0;
  COMPUTE;
}
void counts_written(double* restrict a, double* restrict b, int* restrict counts, int* restrict displs) {
  MPI_Allgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD); // stays TACIT-104
  counts[0] = 1;
  COMPUTE;
}
void local_counts(double* restrict a, double* restrict b) {
  {
    int counts[64], displs[64];
    for (int i = 0; i < 64; i++)
      counts[i] = i, displs[i] = (int)work[i];
    MPI_Allgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD); // stays TACIT-106
  }
  COMPUTE;
}
void then_output(double* restrict b) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); // stays TACIT-110
  puts("all are here");
  COMPUTE;
}
void then_send(double* restrict b, double* restrict c, int peer) {
  MPI_Allgather(c, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD); // stays TACIT-110
  MPI_Ssend(c, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);              // stays TACIT-114
  COMPUTE;
}
void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD); // stays TACIT-110
  COMPUTE;
}
void own_operation(double* restrict a, double* restrict b, MPI_Op op) {
  MPI_Allreduce(a, b, n, MPI_DOUBLE, op, MPI_COMM_WORLD); // stays TACIT-108
  COMPUTE;
}
void absolute(MPI_Datatype type) {
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD); // stays TACIT-108
  COMPUTE;
}
void communicator_freed(double* restrict b, MPI_Comm comm) {
  MPI_Bcast(b, n, MPI_DOUBLE, 0, comm); // stays TACIT-109
  MPI_Comm_free(&comm);
  COMPUTE;
}
void no_form(double* restrict a, double* restrict b) {
  MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // stays TACIT-108
  COMPUTE;
}
/* The blocks are unpacked in their order: the first iteration of the nest needs the first byte. */
void transpose(double* restrict a, double* restrict b, double* restrict c, int rows, int ranks) {
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < rows * rows * ranks; i++)
      a[i] = c[i] * step;
    MPI_Alltoall(a, rows * rows, MPI_DOUBLE, b, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD); // stays TACIT-105
    for (int k = 0; k < ranks; k++)
      for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++)
          c[(size_t)j * (size_t)(rows * ranks) + (size_t)(k * rows + i)] =
              2 * b[((size_t)k * (size_t)rows + (size_t)j) * (size_t)rows + (size_t)i];
  }
}
