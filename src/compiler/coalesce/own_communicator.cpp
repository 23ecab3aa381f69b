#include "compiler/coalesce/own_communicator.h"

#include <algorithm>
#include <limits>

namespace tacit::compiler {

own_communicator make_own_communicator(MPI_Comm of) {
  own_communicator made;
  // Not MPI_Comm_dup, which runs the program's functions for its attributes.
  made.handle = made_once_more([&](MPI_Comm* comm) { return MPI_Comm_split(of, 0, 0, comm); });
  if (made.handle == MPI_COMM_NULL)
    return made;
  MPI_Comm_set_errhandler(made.handle, MPI_ERRORS_RETURN);
  MPI_Comm_rank(made.handle, &made.rank);
  MPI_Comm_size(made.handle, &made.processes);
  return made;
}

void free_own_communicator(own_communicator& own) {
  if (own.handle != MPI_COMM_NULL)
    MPI_Comm_free(&own.handle);
}

/// Less than any number: who has not heard one says so to those behind it, who would take its own for that of all.
constexpr double nobody_knows = -std::numeric_limits<double>::infinity();

bool least_of_all(const own_communicator& own, double* numbers, int count) {
  bool told = true;
  for (int distance = 1, round = 0; distance < own.processes; distance *= 2, ++round) {
    const int above = (own.rank + distance) % own.processes;
    const int below = (own.rank + own.processes - distance) % own.processes;
    double theirs[most_numbers];
    MPI_Request come, gone;
    told &= begun_once_more(come, [&](MPI_Request* request) {
              return MPI_Irecv(theirs, count, MPI_DOUBLE, below, round, own.handle, request);
            }) == MPI_SUCCESS;
    told &= begun_once_more(gone, [&](MPI_Request* request) {
              return MPI_Isend(numbers, count, MPI_DOUBLE, above, round, own.handle, request);
            }) == MPI_SUCCESS;
    told &= MPI_Wait(&come, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    told &= MPI_Wait(&gone, MPI_STATUS_IGNORE) == MPI_SUCCESS; // `numbers` may change from here on
    for (int i = 0; i < count; ++i)
      numbers[i] = told ? std::min(numbers[i], theirs[i]) : nobody_knows;
    told = told && numbers[0] != nobody_knows;
  }
  return told;
}

} // namespace tacit::compiler
