/* Of programs/wrapper_elsewhere.c. */
#include <mpi.h>
extern double b[];
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const int error = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  for (int i = 0; i < count; i++)
    ((double*)buffer)[i] += 1;
  return error;
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const int error = PMPI_Wait(request, status);
  b[20000 - 1] += 1;
  return error;
}
