// Functions that are called between: what they do is looked for in their bodies.
// RUN: %transform %s -- -std=c++20 2>&1 >/dev/null | %said
#include <cmath>
#include <mpi.h>
#include <vector>

extern MPI_Comm comm;
double total;
double* moving;

static double sum_of(const double* from, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += std::sqrt(from[i]);
  return sum;
}
static void scale(double* to, int n, double by) {
  for (double* p = to; n > 0; --n)
    *p = *p * by;
}
static void twice(double* to, int n) {
  scale(to, n, 2);
  total += sum_of(to, n);
}
static double& at(double* from, int i) {
  return from[i];
}
static int forever(int n) {
  return n == 0 ? 0 : forever(n - 1);
}
static void step_on(double* p) {
  while (*p != 0)
    *p++ = 1;
}
static void by_reference(std::vector<double>& to, double& last) {
  for (double& x : to)
    x += last;
  last = to.back();
}
static void reshape(std::vector<double>& to) {
  to.push_back(1);
}
static void stores() {
  total = 1;
  moving[0] = 2;
}
static void rank_of(int* rank) {
  int own = 0;
  MPI_Comm_rank(comm, &own);
  *rank = own;
}
static void talks() {
  MPI_Barrier(comm);
}
void elsewhere();
static void calls_elsewhere() {
  elsewhere();
}

void passed(int n) {
  double in[8], work[8] = {};
  double local = 0;
  int rank = 0;
  std::vector<double> u(n), w(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    twice(work, 8);
    stores();
    rank_of(&rank);
    local = at(work, 1);
    in[0] += local;
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    by_reference(w, local);
    u[0] += local;
  }
}
void told(int n) {
  double in[8], work[8] = {};
  std::vector<double> u(n), w(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    twice(in, 8);
    MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    forever(n);
    MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    step_on(work);
    MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    talks();
    MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    calls_elsewhere();
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    reshape(w);
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    by_reference(w, u[0]);
    MPI_Send(work, 8, MPI_DOUBLE, 0, 0, comm);
    at(work, 1) = 1;
    MPI_Recv(moving, 8, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    stores();
    MPI_Recv(&total, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    twice(work, 8);
  }
}
