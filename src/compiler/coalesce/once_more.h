// Calls of MPI that other processes wait for. One that MPI refuses here, for want of memory as a rule, has done nothing, and the
// others cannot hear of it but by such a call: it is made again, until there is memory again. What is refused for good is an error.
#pragma once

#include <mpi.h>

namespace tacit::compiler {

/// Memory comes back when other messages are complete, or other processes of the node give it back.
constexpr int most_tries = 200;

/// Between two tries: lets MPI complete what it can, and other processes go on. No error of its own is raised.
void let_others_go_on();

template <typename Call>
bool succeeds_once_more(Call call) {
  for (int i = 0; i < most_tries; ++i) {
    if (call() == MPI_SUCCESS)
      return true;
    let_others_go_on();
  }
  return false;
}

/// Of a message: begun if there is a request, whatever the code says.
template <typename Call>
int begun_once_more(MPI_Request& request, Call call) {
  request = MPI_REQUEST_NULL;
  int error = call(&request);
  for (int i = 1; i < most_tries && error != MPI_SUCCESS && request == MPI_REQUEST_NULL; ++i) {
    let_others_go_on();
    error = call(&request);
  }
  return request == MPI_REQUEST_NULL ? error : MPI_SUCCESS;
}

/// Likewise of a communicator; null: there is none.
template <typename Call>
MPI_Comm made_once_more(Call call) {
  MPI_Comm made = MPI_COMM_NULL;
  for (int i = 0; i < most_tries && call(&made) != MPI_SUCCESS && made == MPI_COMM_NULL; ++i)
    let_others_go_on();
  return made;
}

} // namespace tacit::compiler
