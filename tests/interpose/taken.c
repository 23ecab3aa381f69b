/* Neighborhood exchanges that taking_client.cpp does in the library's place, seen from C. Arguments: "taken"
   if they are expected to be, or "library". With PROFILING_NAME it calls MPI by a profiling name, too. */
#include <mpi.h>
#ifdef IS_EXTENSION
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static void check(int condition, int line) {
  if (condition)
    return;
  fprintf(stderr, "wrong result on rank %d at line %d\n", rank, line);
  exit(1);
}

int main(int argc, char** argv) {
  int two = 2, yes = 1, flag, index;
  MPI_Comm ring;
  MPI_Request r[3];
  MPI_Status ss[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank, is_taken = strcmp(argv[1], "taken") == 0,
            wanted = is_taken ? 7000 : 100 + other;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &yes, 0, &ring);
  int mine[2] = {100 + rank, 100 + rank}, theirs[2] = {0, 0}, message = -1;
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring);
  check(theirs[0] == wanted, __LINE__);
  theirs[0] = 0;
  MPI_Irecv(&message, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &r[0]);
  r[1] = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &r[2]);
  MPI_Send(&rank, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
  MPI_Waitall(3, r, ss);
  check(theirs[0] == wanted && message == other && r[2] == MPI_REQUEST_NULL && ss[0].MPI_TAG == 5, __LINE__);
  check(!is_taken || ss[2].MPI_TAG == 77, __LINE__);
  theirs[0] = 0;
  r[0] = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &r[1]);
  MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  check(index == 1 && theirs[0] == wanted && r[1] == MPI_REQUEST_NULL, __LINE__);
  theirs[0] = 0;
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &r[0]);
  for (flag = 0; !flag;)
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  check(theirs[0] == wanted && r[0] == MPI_REQUEST_NULL, __LINE__);
#ifdef PROFILING_NAME
  PMPI_Barrier(MPI_COMM_WORLD);
#endif
#ifdef HAS_PERSISTENT
  MPI_Neighbor_alltoall_init(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, MPI_INFO_NULL, &r[0]);
  for (int i = 0; i < 2; ++i) {
    theirs[0] = 0;
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    check(theirs[0] == wanted && r[0] != MPI_REQUEST_NULL, __LINE__);
  }
  MPI_Request_free(&r[0]);
  check(r[0] == MPI_REQUEST_NULL, __LINE__);
#endif
  MPI_Comm_free(&ring);
  MPI_Finalize();
  printf("rank %d done\n", rank);
  return 0;
}
