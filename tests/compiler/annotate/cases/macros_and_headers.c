#include <mpi.h>
void compute(double*);
#include "Inputs/annotated.h"
#define OVERLAP _Pragma("mpi cco MPI_Send(c)")
#define AND_MORE _Pragma("mpi cco MPI_Send(c)") if (1)

void by_macro(double* a, double* b, MPI_Comm c) {
  OVERLAP {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    _Pragma("mpi indep MPI_Send(c)") compute(b);
  }
}
void by_operator(double* a, double* b, MPI_Comm c) {
  _Pragma("mpi cco MPI_Send(c)") {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    _Pragma("mpi indep MPI_Send(c)") compute(b);
  }
}
void more_in_the_macro(double* a, double* b, MPI_Comm c) {
  AND_MORE {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    _Pragma("mpi indep MPI_Send(c)") compute(b);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
