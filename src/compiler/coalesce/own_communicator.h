// A communicator of ours with the processes of one of the program's: what goes over it is taken neither for a message of the program's nor
// for its collectives. Over it all processes tell each other a few numbers:
//
//     in round k  a process sends what it knows to the one 2^k above it, and hears from the one 2^k below it
//
// After log2(p) rounds everybody knows the least of all, and that all have come (dissemination; Hensgen, Finkel and Manber 1988). A
// collective call may fail in the middle on one process, which the others wait for; a message that is refused has not been sent, and is
// begun again (once_more.h). So one call is left that must not fail in the middle: the one that makes the communicator.
#pragma once

#include "compiler/coalesce/once_more.h"

#include <mpi.h>

namespace tacit::compiler {

struct own_communicator {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0, processes = 1;
};

/// Collective. No handle: MPI has refused it for good. Its errors come back as codes, and attributes of the program's are not copied.
own_communicator make_own_communicator(MPI_Comm of);
/// Collective.
void free_own_communicator(own_communicator& own);

constexpr int most_numbers = 7;

/// Collective: of each number the least that any process has; nobody returns before all have come. False: MPI has refused a message
/// for good, of this process or one that it hears from; then the numbers say nothing, and others may wait.
bool least_of_all(const own_communicator& own, double* numbers, int count);

struct some_bytes {
  void* data;
  int count;
};

/// Collective, without memory: each process sends out(process) to each other one, which takes it in where its in(process) says, in as
/// many bytes. False: as above.
template <typename Out, typename In>
bool tell_each_other(const own_communicator& own, Out out, In in) {
  constexpr int tag = 64; // behind the rounds of least_of_all
  bool told = true;
  for (int distance = 1; distance < own.processes; ++distance) {
    const int to = (own.rank + distance) % own.processes;
    const int from = (own.rank + own.processes - distance) % own.processes;
    const some_bytes theirs = in(from), ours = out(to);
    MPI_Request come, gone;
    told &= begun_once_more(come, [&](MPI_Request* request) {
              return MPI_Irecv(theirs.data, theirs.count, MPI_BYTE, from, tag, own.handle, request);
            }) == MPI_SUCCESS;
    told &= begun_once_more(gone, [&](MPI_Request* request) {
              return MPI_Isend(ours.data, ours.count, MPI_BYTE, to, tag, own.handle, request);
            }) == MPI_SUCCESS;
    told &= MPI_Wait(&come, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    told &= MPI_Wait(&gone, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }
  return told;
}

/// Collective: one value of each process. False: as above.
template <typename Value>
bool tell_all(const own_communicator& own, Value mine, Value* all) {
  all[own.rank] = mine;
  const auto bytes = static_cast<int>(sizeof(Value));
  return tell_each_other(
      own, [&](int) { return some_bytes{&mine, bytes}; },
      [&](int from) { return some_bytes{all + from, bytes}; });
}

} // namespace tacit::compiler
