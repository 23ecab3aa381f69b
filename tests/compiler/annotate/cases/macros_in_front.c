// What stands in front of a statement and may belong to it: _Pragma, and names of macros that may stand for one.
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform %s 2>&1 >/dev/null | %said
#include <mpi.h>

#define PARALLEL _Pragma("omp parallel for")
#define SAYS(what) _Pragma(#what)
#define SPIN                                                                                                 \
  for (int i = 0; i < 2000; ++i)                                                                             \
    up += in[i % 9];

extern MPI_Comm comm;

double pragmas(const double* out, double* in, double* sums) {
  double up = 0;
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Sendrecv(out, 9, MPI_DOUBLE, 0, 1, in, 9, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2000; ++i)
      up += i;
    PARALLEL
    for (int i = 0; i < 9; ++i)
      sums[i] += in[i];
    MPI_Sendrecv(out, 9, MPI_DOUBLE, 0, 1, in, 9, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2000; ++i)
      up += i;
    SAYS(omp critical) /* of what follows */
    sums[0] += in[1];
    MPI_Sendrecv(out, 9, MPI_DOUBLE, 0, 1, in, 9, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2000; ++i)
      up += i;
    _Pragma("GCC ivdep") for (int i = 0; i < 9; ++i) sums[i] += in[i];
    MPI_Sendrecv(out, 9, MPI_DOUBLE, 0, 1, in, 9, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2000; ++i)
      up += i;
    SPIN
  }
  return up;
}
double posted(const double* out, double* in, double* sums) {
  double up = 0;
#pragma mpi cco MPI_SendRecv(comm)
  {
    PARALLEL
    for (int i = 0; i < 9; ++i)
      up += i;
    MPI_Recv(in, 9, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    sums[0] += in[0];
    PARALLEL
    MPI_Send(out, 9, MPI_DOUBLE, 0, 1, comm);
    for (int i = 0; i < 9; ++i)
      up += i;
  }
  return up;
}
