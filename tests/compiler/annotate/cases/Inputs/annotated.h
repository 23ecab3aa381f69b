static inline void exchange(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(b);
  }
}
