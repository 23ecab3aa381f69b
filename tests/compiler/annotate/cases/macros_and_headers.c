#include <mpi.h>
void compute(double*);
#include "Inputs/annotated.h"
#define OVERLAP _Pragma("mpi cco MPI_Send(c)")
#define SAY(...) _Pragma(#__VA_ARGS__)
#define OVERLAP_ON(group) SAY(mpi cco MPI_Send(group))
#define ARGUMENT_AND_MORE(group) SAY(mpi cco MPI_Send(group)) if (1)
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
void by_macro_with_an_argument(double* a, double* b, MPI_Comm c) {
  OVERLAP_ON(c) {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    SAY(mpi indep MPI_Send(c)) compute(b);
  }
}
void more_behind_the_argument(double* a, double* b, MPI_Comm c) {
  ARGUMENT_AND_MORE(c) {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    SAY(mpi indep MPI_Send(c)) compute(b);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
