// Calls of MPI that other processes wait for. One that MPI refuses here, for want of memory as a rule, has done nothing, and the
// others cannot hear of it but by such a call: it is made once more. What is refused twice is an error.
#pragma once

#include <mpi.h>

namespace tacit::compiler {

template <typename Call>
bool succeeds_once_more(Call call) {
  return call() == MPI_SUCCESS || call() == MPI_SUCCESS;
}

/// Of a message: begun if there is a request, whatever the code says.
template <typename Call>
int begun_once_more(MPI_Request& request, Call call) {
  request = MPI_REQUEST_NULL;
  int error = call(&request);
  if (error != MPI_SUCCESS && request == MPI_REQUEST_NULL)
    error = call(&request);
  return request == MPI_REQUEST_NULL ? error : MPI_SUCCESS;
}

/// Likewise of a communicator; null: there is none.
template <typename Call>
MPI_Comm made_once_more(Call call) {
  MPI_Comm made = MPI_COMM_NULL;
  if (call(&made) != MPI_SUCCESS && made == MPI_COMM_NULL)
    call(&made);
  return made;
}

} // namespace tacit::compiler
