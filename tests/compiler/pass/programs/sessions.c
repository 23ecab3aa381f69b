/* A program that has sessions only: no MPI_COMM_WORLD, no MPI_COMM_SELF. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>

static double data[n];
__attribute__((noinline)) void tell(MPI_Comm comm) {
  MPI_Send(data, n, MPI_DOUBLE, 1, 0, comm);
  for (int i = 0; i < n; i++)
    data[i] = 0;
  COMPUTE;
}
#if MPI_VERSION >= 4
int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int rank;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    tell(comm);
  else
    MPI_Recv(data, n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
  printf("rank %d done %g\n", rank, data[0]);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return 0;
}
#else
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    tell(MPI_COMM_WORLD);
  else
    MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d done %g\n", rank, data[0]);
  MPI_Finalize();
  return 0;
}
#endif
