#include <mpi.h>
#include <stdlib.h>
#include <string.h>
void unknown(double*);
double* global_array;

void calls(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i)
      unknown(a + i);
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i) {
      a[i] = i;
      MPI_Barrier(c);
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    // What stands between may store, too.
    for (int i = 0; i < n; ++i)
      a[i] = i;
    a[0] = 7;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
void places(double* a, double* r, const int* order, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i)
      a[order[i]] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i)
      a[i * i] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i)
      a[(unsigned char)i] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    // Through another name that changes.
    double* p = a;
    for (int i = 0; i < n; ++i)
      *p++ = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i)
      a[i] = r[i];
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    // The number that was in j before.
    int j = 3;
    double* const q = a + j;
    for (int i = 0; i < n; ++i)
      for (j = 0; j < 4; ++j)
        q[i] = j;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
int loops(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = n - 1; i >= 0; --i)
      a[i] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i) {
      a[i] = i;
      if (a[i] > 100)
        return 1;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i) {
      a[i] = i;
      n -= 1;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    int i = 0;
    while (i < n)
      a[i++] = 1;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  return 0;
}
void exchanges(double* a, double* r, double** others, int n, MPI_Comm c, MPI_Datatype t) {
#pragma mpi overlap MPI_Alltoall(c) MPI_Allgather(c)
  {
    for (int i = 0; i < n; ++i)
      a[i] = i;
    MPI_Allgather(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i)
      a[i] = i;
    MPI_Alltoall(MPI_IN_PLACE, n, MPI_DOUBLE, a, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i)
      a[i] = i;
    MPI_Alltoall(a, 1, t, r, 1, t, c);
    for (int i = 0; i < n; ++i)
      a[i] = i;
    if (MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c))
      return;
    for (int i = 0; i < n; ++i)
      a[i] = i;
    MPI_Alltoall(a, n, MPI_DOUBLE, a + 8 * n, n, MPI_DOUBLE, c);
    for (int i = 0; i < n; ++i) {
      global_array[i] = i;
      others[i] = a;
    }
    MPI_Alltoall(global_array, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
void misspelled(double* a, double* r, int n, MPI_Comm world_comm) {
#pragma mpi overlap MPI_Alltoall(word_comm)
  for (int i = 0; i < n; ++i)
    a[i] = i;
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, world_comm);
}
// RUN: %transform %s 2>/dev/null | cmp - %s
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
