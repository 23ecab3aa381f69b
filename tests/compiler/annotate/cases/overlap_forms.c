#include <math.h>
#include <mpi.h>
void unknown(void);
void use(const double*);

// Nothing but arrays whose addresses nobody has: no claim is needed.
double proven(MPI_Comm c) {
  double halo[10], inner[100], sum = 0;
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(halo, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      inner[i] = sqrt(i);
    for (int i = 0; i < 10; ++i)
      sum += halo[i] + inner[i];
  }
  return sum;
}
void both_ways(double* a, double* b, int n, MPI_Comm c, int on) {
#pragma mpi cco MPI_Sendrecv(c)
  for (int i = 0; i < n; ++i) {
    if (on)
      MPI_Sendrecv(a, 10, MPI_DOUBLE, 1, 0, b, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv(c)
    unknown();
    use(b);
  }
}
// The wait is in the branch, where the first use is.
void in_a_branch(double* a, int on, MPI_Comm c) {
#pragma mpi cco MPI_Recv
  {
    if (on) {
      MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_Recv
      unknown();
      use(a);
    }
    unknown();
  }
}
// Nothing leaves the loop with a message under way.
void leaves(double* a, int n, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  for (int i = 0; i < n; ++i) {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    unknown();
    if (i == 7)
      break;
    n = n - 1;
  }
}
// What is read while it is sent need not wait; what is written must.
void reads(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    double sum = 0;
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    for (int i = 0; i < 10; ++i)
      sum += a[i];
    b[0] = sum;
    unknown();
  }
}
// Halves of one buffer are apart, whatever n is; the second send overlaps the receive.
void halves(double* a, int n, MPI_Comm c) {
#pragma mpi cco MPI_SendRecv(c)
  {
    MPI_Recv(a + n, n, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    MPI_Send(a, n, MPI_DOUBLE, 1, 0, c);
    MPI_Send(a + n - 1, 1, MPI_DOUBLE, 1, 0, c);
    MPI_Send(a + n, 1, MPI_DOUBLE, 1, 0, c);
  }
}
// Where nothing was posted, the status stays as it was.
int in_one_branch(double* a, int on, MPI_Comm c) {
  MPI_Status status;
  status.MPI_TAG = 7;
#pragma mpi cco MPI_Recv
  {
    if (on)
      MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, &status);
#pragma mpi indep MPI_Recv
    unknown();
  }
  return status.MPI_TAG;
}
// One call becomes two, each where it stood.
void a_line_becomes_two(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_SendRecv(c)
  {
    double sum = 0;
    MPI_Sendrecv(a, 10, MPI_DOUBLE, 1, 0, b, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i)
      sum += i;
    b[0] += sum;
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
