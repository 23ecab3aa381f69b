#include <mpi.h>
void compute(double*);
#if MPI_VERSION < 4
int MPI_Put_c(const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win);
int MPI_Get_c(void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win);
int MPI_Rput_c(const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win,
               MPI_Request*);
int MPI_Recv_c(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int MPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
#endif

// Collected by the call for large counts; one that the run time has not comes behind what was collected.
void collected(const long* x, MPI_Win win, MPI_Request* r) {
#pragma mpi osc_coalesce(win, buffer, long, MPI_LONG, MPI_COMM_WORLD)
  {
    MPI_Win_fence(0, win);
    MPI_Put_c(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Rput_c(x, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win, r);
    MPI_Win_fence(0, win);
  }
}
// Copies where the counts fit into an int; what has a request is MPI's.
void local(long* x, MPI_Win win, MPI_Request* r) {
#pragma mpi rma(win, buffer, long, MPI_LONG)
  {
    MPI_Put_c(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Get_c(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Rput_c(x, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win, r);
    MPI_Win_fence(0, win);
  }
}
void mixed(const long* x, MPI_Win win) {
#pragma mpi rma(win, buffer, long, MPI_LONG)
  {
    MPI_Put(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Put_c(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}
void message(double* a, double* inner, MPI_Count n, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv_c(a, n, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(inner);
  }
}
void exchange(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i)
      a[i] = i;
    MPI_Alltoall_c(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
