// Calls of MPI that fail on this process: those that are watched are counted, and from one on some in a row fail, before or after MPI has
// done its work. Messages are watched here; who watches other calls defines them like these.
#pragma once

#include <mpi.h>

namespace {

bool watched = false;
int calls;                ///< since the case began
int refused = -1;         ///< the number of the first call that fails; negative: none
int in_a_row = 1;         ///< and how many then do
bool works_first = false; ///< and yet does its work

template <typename Call>
int may_fail(Call call, bool for_good = false) {
  if (!watched)
    return call();
  ++calls;
  if (!for_good && (calls < refused || calls >= refused + in_a_row || refused < 0))
    return call();
  if (works_first && !for_good)
    call();
  return MPI_ERR_OTHER;
}

} // namespace

extern "C" {
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return may_fail([&] { return PMPI_Isend(data, count, type, to, tag, comm, request); });
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return may_fail([&] { return PMPI_Irecv(data, count, type, from, tag, comm, request); });
}
}
