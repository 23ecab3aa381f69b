#include <math.h>
#include <mpi.h>
#include <setjmp.h>
void unknown(void);
int count(void);
double global[100];

void value_used(double* a, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    int e = MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    if (e)
      unknown();
  }
}
void unknown_call_follows(double* a, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    unknown();
  }
}
void from_anybody(double* a, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv(c)
    unknown();
  }
}
void synchronous(double* a, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Ssend(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    unknown();
  }
}
void labels(double* a, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    unknown();
    if (a[0] > 0)
      goto end;
  end:
    a[0] = 1;
  }
}
#define SEND(a, c) MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c)
void in_a_macro(double* a, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    SEND(a, c);
#pragma mpi indep MPI_Send(c)
    unknown();
  }
}
void other_pointer(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i)
      b[i] = 1;
  }
}
void nothing_listed(double* a, MPI_Comm c, MPI_Comm d) {
#pragma mpi cco MPI_Send(d)
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(d)
    unknown();
  }
}
void in_a_switch(double* a, MPI_Comm c, int which) {
#pragma mpi cco MPI_Send(c)
  switch (which) {
  case 1:
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
  default:
#pragma mpi indep MPI_Send(c)
    unknown();
  }
}
void status_read(double* a, MPI_Comm c) {
  MPI_Status s;
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, &s);
    if (s.MPI_TAG == 3)
      global[0] = 1;
  }
}
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
