#include <mpi.h>
void compute(double*);
void use(double*);
void half_a_wait(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(b);
#ifdef OTHER
    compute(a);
#else
    use(a);
#endif
  }
}
void another_pragma(double* a, double* b, int n, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(b);
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      a[i] += b[i];
  }
}
void counted(double* a, double* b, int* n, MPI_Comm c) {
  MPI_Status s;
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, &s);
#pragma mpi indep MPI_Recv(c)
    compute(b);
    MPI_Get_count(&s, MPI_DOUBLE, n);
    compute(b);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
