#include <mpi.h>
void use(const double*);

// The value of the call is dropped, in words.
void dropped(double* a, double* r, int n, int size, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p)
        a[p * n + i] = i;
    (void)MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
// What is said of the loop stays in front of it.
void hinted(double* a, double* r, int n, int size, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p)
        a[p * n + i] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
// This may be about what would be written there.
void strange(double* a, double* r, int n, int size, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
#pragma strange
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p)
        a[p * n + i] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
void used(double* a, double* r, int n, int size, MPI_Comm c, int* error) {
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i)
      a[i] = i;
    *error = MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
