#include <mpi.h>
#include <vector>
void compute(double*);
void use(const std::vector<double>&);

// An exception of compute() must not leave the message behind.
void guarded(std::vector<double>& halo, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(halo.data(), 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(b);
    use(halo);
  }
}
template <class T> struct grid {
  T halo[16];
  void exchange(MPI_Comm c, T* inner) {
#pragma mpi cco MPI_Recv(c)
    {
      MPI_Recv(halo, 16, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
      compute(inner);
    }
  }
};
template struct grid<double>;
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
