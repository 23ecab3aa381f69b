/* Of programs/pcontrol.c. */
#include <mpi.h>
#include <stdio.h>
extern double a[];
int MPI_Pcontrol(const int level, ...) {
  printf("level %d: %g\n", level, a[200000 - 1]);
  return MPI_SUCCESS;
}
