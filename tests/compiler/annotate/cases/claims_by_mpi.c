#include <mpi.h>
#define IGNORED MPI_STATUS_IGNORE
void compute(double* w);
void sums_what_arrives(double* halo, double* w, double* sum, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(halo, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    {
      compute(w);
      MPI_Allreduce(w, sum, 4, MPI_DOUBLE, MPI_SUM, c);
      MPI_Allreduce(halo + 2, sum, 4, MPI_DOUBLE, MPI_SUM, c);
    }
  }
}
void receives_into_what_leaves(double* halo, double* w, MPI_Request* r, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(halo, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    {
      compute(w);
      MPI_Isend(halo, 10, MPI_DOUBLE, 2, 0, c, &r[0]);
      MPI_Irecv(halo + 10, 10, MPI_DOUBLE, 2, 0, c, &r[1]);
      MPI_Irecv(halo + 9, 10, MPI_DOUBLE, 2, 1, c, &r[2]);
    }
  }
}
void by_other_names(double* halo, double* w, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(halo, 10, MPI_DOUBLE, 1, 0, c, IGNORED);
#pragma mpi indep MPI_Recv(c)
    compute(w);
    MPI_Recv(halo, 10, MPI_DOUBLE, 1, MPI_ANY_TAG, c, IGNORED);
#pragma mpi indep MPI_Recv(c)
    compute(w);
    MPI_Recv(halo, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 0, c, IGNORED);
#pragma mpi indep MPI_Recv(c)
    compute(w);
  }
}
// Calls that only keep an address, and calls of which the root knows which buffers count.
void in_doubt(double* halo, double* w, MPI_Request* r, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(halo, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    {
      compute(w);
      MPI_Recv_init(halo, 10, MPI_DOUBLE, 2, 0, c, &r[0]);
      MPI_Bcast(halo, 10, MPI_DOUBLE, 0, c);
    }
  }
}
// RUN: not %transform --diff %s 2>&1 >/dev/null | %said
