#ifdef __cplusplus
extern "C"
#endif
    void
    compute(double*);
static inline void send(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    compute(b);
    b[0] = 1;
  }
}
