#include <mpi.h>
void unknown(void);
void reads_what_arrives(double* halo, double* inner, int n, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(halo, n, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    {
      inner[0] = 1;
      inner[1] = halo[0];
    }
    unknown();
  }
}
void writes_what_leaves(double* halo, int n, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(halo, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    {
      n += halo[3];
      halo[9] = 1;
    }
#pragma mpi indep MPI_Send(c)
    halo[10] = 1;
    unknown();
  }
}
// RUN: not %transform --diff %s 2>&1 >/dev/null | %said
