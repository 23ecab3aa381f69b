// Buffers that are elements of containers of the standard library.
// RUN: %transform --diff %s -- -std=c++20 2>/dev/null | %changes
// RUN: %transform %s -- -std=c++20 2>&1 >/dev/null | %said
#include <array>
#include <memory>
#include <mpi.h>
#include <span>
#include <vector>

extern MPI_Comm comm;

double vectors(int n) {
  std::vector<double> u(n + 2), work(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Sendrecv(u.data() + 1, 1, MPI_DOUBLE, 0, 0, &u[n + 1], 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < work.size(); ++i)
      work[i] = 0.5 * static_cast<double>(i);
    for (double& x : work)
      x += 1;
    u[1] = u[n + 1];
  }
  return u[1] + work[0];
}
double arrays() {
  std::array<double, 8> a{}, b{};
  double work[100];
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Send(a.data(), 4, MPI_DOUBLE, 0, 0, comm);
    for (const double x : b)
      work[0] = x;
    for (double& x : work)
      x = a[5];
    a[4] = 1;
    a[3] = 1;
  }
  return a[0] + work[0];
}
// Where elements may be elsewhere, or gone.
double resized(int n) {
  std::vector<double> u(n), work(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      work[i] = i;
    u.resize(2 * n);
    for (int i = 0; i < n; ++i)
      work[i] += i;
  }
  return u[0] + work[0];
}
double swapped(int n) {
  std::vector<double> u(n), work(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      work[i] = i;
    std::swap(u, work);
    for (int i = 0; i < n; ++i)
      work[i] += i;
  }
  return u[0] + work[0];
}
double of_a_branch(int n) {
  double work[100];
#pragma mpi cco MPI_SendRecv(comm)
  {
    if (n > 0) {
      std::vector<double> u(n);
      MPI_Send(u.data(), n, MPI_DOUBLE, 0, 0, comm);
    }
    for (int i = 0; i < 100; ++i)
      work[i] = i;
  }
  return work[0];
}
// By other names.
double pointed(int n) {
  std::vector<double> u(n), work(n);
  double* p = u.data();
  double* other = work.data();
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      other[i] = i;
    p[0] += 1;
  }
  return u[0] + work[0];
}
double referred(std::vector<double>& u, std::vector<double>& work) {
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(u.data(), 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    int sum = 0;
    for (int i = 0; i < 100; ++i)
      sum += i;
    work[0] = sum;
    u[0] += 1;
  }
  return u[0] + work[0];
}
double local_and_given(std::vector<double>& work, int n) {
  std::vector<double> u(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (double& x : work)
      x = 1;
    u[0] += 1;
  }
  return u[0] + work[0];
}
double handed_over(std::vector<double>& given, double* p, int n) {
  std::vector<double> u(std::move(given));
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(u.data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      p[i] = i;
  }
  return u[0];
}
double views(int n) {
  auto p = std::make_unique<double[]>(n);
  std::span<double> s(p.get(), n);
  std::vector<std::vector<double>> u(n), rows(n);
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(p.get(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Recv(u[1].data(), n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (auto& row : rows)
      for (double& x : row)
        x = 1;
    s[0] += 1;
    u[0][1] = 1;
  }
  return p[0] + u[0][0];
}
// Requests, too.
double requests(int n) {
  std::vector<double> u(n), work(n);
  std::vector<MPI_Request> two(2);
  std::array<MPI_Request, 1> one;
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Irecv(u.data(), n, MPI_DOUBLE, 0, 0, comm, &two[0]);
    MPI_Isend(work.data(), n, MPI_DOUBLE, 0, 0, comm, &two[1]);
    MPI_Isend(work.data(), n, MPI_DOUBLE, 0, 1, comm, one.data());
    MPI_Waitall(static_cast<int>(two.size()), two.data(), MPI_STATUSES_IGNORE);
    MPI_Wait(&one[0], MPI_STATUS_IGNORE);
    double sum = 0;
    for (const double x : work)
      sum += x;
    u[0] += sum;
  }
  return u[0];
}
// A part of an array is not the whole.
double claimed() {
  std::array<double, 8> a{};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(a.data(), 4, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv(comm)
    for (int i = 4; i < 8; ++i)
      a[5] = i;
    a[0] += 1;
  }
  return a[0];
}
