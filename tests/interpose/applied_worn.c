/* More persistent operations on one communicator than it has tags for. MPI has millions of tags, so this
   program says that it has few: tacit asks the first PMPI_Comm_get_attr that the loader finds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#if defined(IS_EXTENSION)
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif
#include <stdio.h>
#include <stdlib.h>

enum { operations = 40 };

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  static int few = 2000; /* 1000 for each kind of call, 65 for each operation */
  static int (*next)(MPI_Comm, int, void*, int*) = NULL;
  if (!next)
    *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Comm_get_attr");
  const int code = next(comm, key, value, found);
  if (key == MPI_TAG_UB && code == MPI_SUCCESS && *found)
    *(int**)value = &few;
  return code;
}

static int rank, size;

static void fill(int* out, int* in, int salt) {
  out[0] = 100 * rank + salt;
  out[1] = out[0] + 50;
  in[0] = in[1] = -1;
}

static void check(const int* in, int salt) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (in[0] != 100 * left + salt + 50 || in[1] != 100 * right + salt) {
    fprintf(stderr, "rank %d, %d: got %d %d\n", rank, salt, in[0], in[1]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  static int out[operations][2], in[operations][2];
  static MPI_Request requests[operations];
  int periodic = 1, more_out[2], more_in[2];
  MPI_Comm ring;
  MPI_Request pending;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  fill(more_out, more_in, 7);
  MPI_Neighbor_alltoall(more_out, 1, MPI_INT, more_in, 1, MPI_INT, ring);
  check(more_in, 7);
  for (int i = 0; i < operations; ++i) {
    /* under way while the communicator is renewed */
    fill(more_out, more_in, i);
    MPI_Ineighbor_alltoall(more_out, 1, MPI_INT, more_in, 1, MPI_INT, ring, &pending);
    MPI_Neighbor_alltoall_init(out[i], 1, MPI_INT, in[i], 1, MPI_INT, ring, MPI_INFO_NULL, &requests[i]);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    check(more_in, i);
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < operations; ++i)
      fill(out[i], in[i], i);
    for (int i = 0; i < operations; ++i) /* in another order on each rank */
      MPI_Start(&requests[rank % 2 ? operations - 1 - i : i]);
    MPI_Waitall(operations, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < operations; ++i)
      check(in[i], i);
  }
  for (int i = 0; i < operations; ++i)
    MPI_Request_free(&requests[i]);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  if (rank == 0)
    printf("done\n");
  return 0;
}
