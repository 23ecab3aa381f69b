#include <mpi.h>
#include <stdint.h>
enum { MANY = 513 };
void mixed(MPI_Win w, long* x, int8_t* small, int n) {
#pragma mpi osc_coalesce(w, buffer, long, MPI_LONG)
  {
    MPI_Put(x, 512, MPI_LONG, 0, 0, 512, MPI_LONG, w);
    MPI_Put(x, MANY, MPI_LONG, 0, 0, MANY, MPI_LONG, w);
    MPI_Get(x, n, MPI_LONG, 0, 0, n, MPI_LONG, w);
    MPI_Accumulate(small, 1, MPI_INT8_T, 0, 0, 1, MPI_INT8_T, MPI_SUM, w);
    MPI_Accumulate(small, 1, MPI_INT8_T, 0, 0, 1, MPI_INT8_T, MPI_BXOR, w);
    MPI_Compare_and_swap(x, x + 1, x + 2, MPI_LONG, 0, 0, w);
    MPI_Fetch_and_op(x, x + 1, MPI_LONG, 0, 0, MPI_SUM, w);
    MPI_Get_accumulate(x, MANY, MPI_LONG, x + MANY, MANY, MPI_LONG, 0, 0, MANY, MPI_LONG, MPI_SUM, w);
  }
}
void none(MPI_Win w, long* x) {
#pragma mpi osc_coalesce(w, buffer, long, MPI_LONG)
  for (int i = 0; i < 10; ++i)
    MPI_Compare_and_swap(x, x + 1, x + 2, MPI_LONG, 0, i, w);
}
// RUN: %transform %s 2>&1 >/dev/null | %said
