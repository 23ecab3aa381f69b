/* A program of MPI Sessions. "only": it never calls MPI_Init; "both": it does, too. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const int both = argc > 1 && strcmp(argv[1], "both") == 0;
  int rank, size, yes = 1;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all, ring;
  MPI_Request request;
  if (both)
    MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "tacit.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Cart_create(all, 1, &size, &yes, 0, &ring);
  for (int i = 0; i < 3; ++i) {
    const int out[2] = {10 * rank, 10 * rank + 1}, left = (rank + size - 1) % size, right = (rank + 1) % size;
    int in[2] = {-1, -1};
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    if (in[0] != 10 * left + 1 || in[1] != 10 * right)
      MPI_Abort(all, 1);
    in[0] = in[1] = -1;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (in[0] != 10 * left + 1 || in[1] != 10 * right)
      MPI_Abort(all, 1);
  }
  MPI_Comm_free(&ring);
  MPI_Comm_free(&all);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  if (both)
    MPI_Finalize();
  if (rank == 0)
    printf("done\n");
  return 0;
}
