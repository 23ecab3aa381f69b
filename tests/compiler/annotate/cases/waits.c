#include <mpi.h>
void compute(double*);
void use(const double*);

void one_by_one(double* a, double* b, double* inner, MPI_Comm c) {
  MPI_Request r[2];
  MPI_Status s;
#pragma mpi cco MPI_SendRecv(c)
  {
    MPI_Irecv(a, 10, MPI_DOUBLE, 1, 0, c, &r[0]);
    MPI_Isend(b, 10, MPI_DOUBLE, 1, 0, c, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
#pragma mpi indep MPI_SendRecv(c)
    compute(inner);
    use(a);
  }
}
void two_requests(double* a, double* b, double* inner, MPI_Comm c) {
  MPI_Request ra, rb;
  MPI_Status s;
#pragma mpi cco MPI_Wait(ra, rb)
  {
    MPI_Irecv(a, 10, MPI_DOUBLE, 1, 0, c, &ra);
    MPI_Irecv(b, 10, MPI_DOUBLE, 1, 1, c, &rb);
    MPI_Wait(&ra, MPI_STATUS_IGNORE);
    MPI_Wait(&rb, &s);
#pragma mpi indep MPI_Recv(c)
    compute(inner);
    if (s.MPI_SOURCE == 1)
      use(a);
  }
}
void not_its_own(double* a, double* inner, MPI_Request* r, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c) MPI_Wait(r)
  {
    MPI_Irecv(a, 10, MPI_DOUBLE, 1, 0, c, r);
    MPI_Wait(r, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(inner);
  }
}
void tested(double* a, double* inner, MPI_Comm c) {
  MPI_Request r;
  int flag;
#pragma mpi cco MPI_Wait(r)
  {
    MPI_Irecv(a, 10, MPI_DOUBLE, 1, 0, c, &r);
    MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(inner);
  }
}
void count_changes(double* a, double* inner, int n, MPI_Comm c) {
  MPI_Request r[4];
#pragma mpi cco MPI_Wait(r)
  {
    for (int i = 0; i < n; ++i)
      MPI_Irecv(a + i * 10, 10, MPI_DOUBLE, 1, i, c, &r[i]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
#pragma mpi indep MPI_Recv(c)
    compute(inner);
    n = 2;
    compute(inner);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
