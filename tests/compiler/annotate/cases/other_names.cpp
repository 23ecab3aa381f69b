// Ways to memory that do not look like one: parts of structured bindings, conversions, one of two, parts of complex numbers, what a store
// itself is, references among members, and members that all objects share.
// RUN: %transform %s -- -std=c++20 2>&1 >/dev/null | %said
#include <mpi.h>

extern MPI_Comm comm;
extern double work[100];

void bindings() {
  double buf[2];
  auto& [x, y] = buf;
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(buf, 2, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    x = 1;
    buf[1] = y;
  }
}
void copied() {
  double buf[2];
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(buf, 2, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    auto [x, y] = buf;
    work[0] = x + y;
  }
}
void converted() {
  double buf[2] = {1, 2};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Send(buf, 2, MPI_DOUBLE, 0, 0, comm);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    static_cast<double&>(buf[0]) = 3;
  }
}
void one_of_two(int n) {
  double buf[2] = {1, 2};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Send(buf, 2, MPI_DOUBLE, 0, 0, comm);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    ((void)n, buf[1]) = 4;
  }
}
void parts() {
  _Complex double buf[2] = {1, 2};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Send(buf, 2, MPI_C_DOUBLE_COMPLEX, 0, 0, comm);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    __real__ buf[0] = 3;
  }
}
void stored() {
  int k = 0;
  int& r = ++k;
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(&k, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    r = 1;
  }
}
struct members {
  double in[4], out[4];
  double& other;
  static double shared[4];
};
void by_member() {
  double buf[4];
  members m{{}, {}, buf[1]};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(buf, 4, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    m.other = 1;
  }
}
void shared() {
  members m{{}, {}, work[1]};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(m.shared, 4, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      work[i] = i;
    members::shared[1] = 1;
  }
}
// What is another part of an object is no use of this one.
void beside() {
  members m{{}, {}, work[1]};
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Recv(m.in, 4, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv(comm)
    for (int i = 0; i < 4; ++i)
      m.out[i] = i;
    for (int i = 0; i < 4; ++i)
      m.out[i] += i;
    m.in[0] += 1;
  }
}
