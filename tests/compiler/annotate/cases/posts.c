#include <math.h>
#include <mpi.h>
void unknown(void);
void use(const double*);

// Past the loop that has nothing to do with it, but not past the other receive.
double early(double* a, double* b, int n, int from, MPI_Comm c) {
  double inner[100], sum = 0;
#pragma mpi cco MPI_Recv(c)
  {
    use(b);
    for (int i = 0; i < 100; ++i)
      inner[i] = sqrt(i + n);
    MPI_Recv(a, n, MPI_DOUBLE, from, 0, c, MPI_STATUS_IGNORE);
    MPI_Recv(b, n, MPI_DOUBLE, from, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      sum += inner[i];
    use(a);
  }
  return sum;
}
// A receive passes sends; a send does not pass what computes its data.
void sends(int n, int to, MPI_Comm c) {
  double out[10], in[10], sum = 0;
#pragma mpi cco MPI_SendRecv(c)
  {
    for (int i = 0; i < 10; ++i)
      out[i] = i;
    for (int i = 0; i < 1000; ++i)
      sum += sqrt(i);
    out[0] += sum;
    if (n > 2)
      MPI_Send(out, 10, MPI_DOUBLE, to, 0, c);
    MPI_Recv(in, 10, MPI_DOUBLE, to, 0, c, MPI_STATUS_IGNORE);
    use(in);
  }
}
// None of these may be posted earlier: an argument is computed, the buffer is read, a statement is only claimed to be independent
// (it may receive), control may leave, and the same memory is under way.
void stay(int n, int from, MPI_Comm c) {
  double a[10], b[10], sum = 0;
#pragma mpi cco MPI_Recv(c)
  {
    for (int i = 0; i < 10; ++i)
      from += i;
    MPI_Recv(a, 10, MPI_DOUBLE, from, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i)
      sum += i;
    use(a);
    for (int i = 0; i < 10; ++i)
      sum += a[i];
    MPI_Recv(a, 10, MPI_DOUBLE, from, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i)
      sum += i;
    use(a);
#pragma mpi indep MPI_Recv(c)
    unknown();
    MPI_Recv(b, 10, MPI_DOUBLE, from, 2, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i)
      sum += i;
    use(b);
    if (sum > n)
      return;
    MPI_Recv(b, 10, MPI_DOUBLE, from, 3, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; ++i)
      sum -= i;
    use(b);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
