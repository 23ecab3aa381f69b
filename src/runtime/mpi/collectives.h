// Nonblocking collectives of a few words. In SMPI each of them sends a message from every rank to every other
// one, a million on 1024 ranks; there they are blocking, and the first call on a communicator waits for the
// other ranks anyway.
#pragma once

#include <mpi.h>

namespace tacit::runtime {

inline int start_allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request* request) {
#ifdef SMPI_H
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(mine, all, count, type, op, comm);
#else
  return MPI_Iallreduce(mine, all, count, type, op, comm, request);
#endif
}

inline int start_allgather(const void* mine, void* all, int count, MPI_Datatype type, MPI_Comm comm,
                           MPI_Request* request) {
#ifdef SMPI_H
  *request = MPI_REQUEST_NULL;
  return MPI_Allgather(mine, count, type, all, count, type, comm);
#else
  return MPI_Iallgather(mine, count, type, all, count, type, comm, request);
#endif
}

inline int start_allgatherv(const void* mine, int count, void* all, const int* counts,
                            const int* displacements, MPI_Datatype type, MPI_Comm comm,
                            MPI_Request* request) {
#ifdef SMPI_H
  *request = MPI_REQUEST_NULL;
  return MPI_Allgatherv(mine, count, type, all, counts, displacements, type, comm);
#else
  return MPI_Iallgatherv(mine, count, type, all, counts, displacements, type, comm, request);
#endif
}

inline int start_bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                       MPI_Request* request) {
#ifdef SMPI_H
  *request = MPI_REQUEST_NULL;
  return MPI_Bcast(data, count, type, root, comm);
#else
  return MPI_Ibcast(data, count, type, root, comm, request);
#endif
}

} // namespace tacit::runtime
