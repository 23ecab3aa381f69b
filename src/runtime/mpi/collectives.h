// Nonblocking collectives of a few words, and nonblocking duplicates. Where a library has no cheap ones
// (SMPI) they are blocking, and the first call on a communicator waits for the other ranks anyway. Those that return when they
// are complete let go on meanwhile what is under way.
#pragma once

#include "runtime/mpi/await.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"

#include <mpi.h>

namespace tacit::runtime {

inline int start_allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request* request) {
  if constexpr (has_cheap_nonblocking_collectives)
    return MPI_Iallreduce(mine, all, count, type, op, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(mine, all, count, type, op, comm);
}

inline int start_allgather(const void* mine, void* all, int count, MPI_Datatype type, MPI_Comm comm,
                           MPI_Request* request) {
  if constexpr (has_cheap_nonblocking_collectives)
    return MPI_Iallgather(mine, count, type, all, count, type, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_Allgather(mine, count, type, all, count, type, comm);
}

inline int start_allgatherv(const void* mine, int count, void* all, const int* counts,
                            const int* displacements, MPI_Datatype type, MPI_Comm comm,
                            MPI_Request* request) {
  if constexpr (has_cheap_nonblocking_collectives)
    return MPI_Iallgatherv(mine, count, type, all, counts, displacements, type, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_Allgatherv(mine, count, type, all, counts, displacements, type, comm);
}

inline int start_bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                       MPI_Request* request) {
  if constexpr (has_cheap_nonblocking_collectives)
    return MPI_Ibcast(data, count, type, root, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_Bcast(data, count, type, root, comm);
}

/// A duplicate that may be used when the request is complete.
inline int start_duplicate(MPI_Comm comm, MPI_Comm* duplicate, MPI_Request* request) {
  if constexpr (has_comm_idup)
    return MPI_Comm_idup(comm, duplicate, request);
  *request = MPI_REQUEST_NULL;
  return MPI_Comm_dup(comm, duplicate);
}

/// MPI_Bcast. Throws mpi_error.
inline void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_bcast(data, count, type, root, comm, &request), "MPI_Ibcast");
  await(request, "MPI_Ibcast");
}

/// MPI_Allgather. Throws mpi_error.
inline void allgather(const void* mine, void* all, int count, MPI_Datatype type, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allgather(mine, all, count, type, comm, &request), "MPI_Iallgather");
  await(request, "MPI_Iallgather");
}

/// MPI_Sendrecv of bytes. Throws mpi_error.
inline void send_receive(const void* data, int bytes, int to, void* into, int room, int from, int tag,
                         MPI_Comm comm) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  check_mpi(MPI_Irecv(into, room, MPI_BYTE, from, tag, comm, &requests[0]), "MPI_Irecv");
  check_mpi(MPI_Isend(data, bytes, MPI_BYTE, to, tag, comm, &requests[1]), "MPI_Isend");
  await(requests, "MPI_Isend and MPI_Irecv");
}

} // namespace tacit::runtime
