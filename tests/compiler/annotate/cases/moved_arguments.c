#include <mpi.h>
double b[10], w[1000];
int idx[4];
void compute(double*);

void subscript_changes(MPI_Comm c, MPI_Status* st, int i) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(b, 10, MPI_DOUBLE, 0, 1, c, &st[i]);
    for (int k = 0; k < 1000; k++)
      w[k] = 2 * k;
    i++;
    w[0] = i;
  }
}
void subscript_in_memory(MPI_Comm c, MPI_Status* st) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(b, 10, MPI_DOUBLE, 0, 1, c, &st[idx[0]]);
    for (int k = 0; k < 1000; k++)
      w[k] = 2 * k;
  }
}
void size_of_a_type(MPI_Comm c) {
  int n = 1;
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(&n, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE);
    for (int k = 0; k < 1000; k++)
      w[k] = 2 * k;
    double v[n];
    v[0] = 1;
  }
}
void declared_again(MPI_Comm c) {
  MPI_Status st;
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(b, 10, MPI_DOUBLE, 0, 1, c, &st);
    for (int k = 0; k < 1000; k++)
      w[k] = 2 * k;
    int st = 3;
    w[0] = st;
  }
}
void wait_of_another_request(MPI_Comm c) {
  MPI_Request r[3];
#pragma mpi cco MPI_Recv(c) MPI_Wait
  {
    MPI_Irecv(b, 10, MPI_DOUBLE, 0, 1, c, &r[idx[0]]);
    MPI_Wait(&r[idx[0]], MPI_STATUS_IGNORE);
    for (int k = 0; k < 1000; k++)
      w[k] = 2 * k;
    idx[0]++;
  }
}
void two_regions(MPI_Win win, long* buf, long x) {
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG)
  {
    MPI_Put(&x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG)
  {
    MPI_Put(&x, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
