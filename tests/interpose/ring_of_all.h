/* What the C programs under `tacit run --apply` share: a periodic ring of all ranks, and how they fail. */
#pragma once

#include <mpi.h>
#ifdef IS_EXTENSION
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
#endif

#include <stdio.h>

static int rank, size, left, right;
static MPI_Comm ring;

static void check(int condition, int line) {
  if (condition)
    return;
  fprintf(stderr, "wrong result on rank %d at line %d\n", rank, line);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(condition) check(condition, __LINE__)

static MPI_Comm make_ring(void) {
  int yes = 1;
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &made);
  return made;
}

/* After MPI_Init. */
static void meet(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  ring = make_ring();
}
