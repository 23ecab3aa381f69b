// Members with `this` and without are one window; what is said of operations that stay, of calls that are no statement of a block, of
// pragmas that a macro writes with their statement, and in check mode.
// RUN: %transform %s 2>&1 >/dev/null | %said
// RUN: %cxx -c %s -o %t.o 2>&1 | not grep remark
// RUN: %cxx=check -c %s -o %t.o 2>&1 | %said=CHECKED
#include <mpi.h>
#define RING(name)                                               \
  void name(double* in) {                                        \
    _Pragma("mpi cco MPI_Recv(MPI_COMM_WORLD)") {                \
      MPI_Recv(in, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, nullptr); \
    }                                                            \
  }
RING(ring)

struct field {
  MPI_Win win_;
  long* base_;
  MPI_Win other_;
  void one(long* v) {
#pragma mpi osc_coalesce(win_, base_, long, MPI_LONG)
    {
      MPI_Put(v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win_);
      MPI_Get(v + 1, 1, MPI_LONG, 0, 1, 1, MPI_LONG, this->win_);
      MPI_Win_flush(0, (this->win_));
      MPI_Get(v + 1, 1, MPI_LONG, 0, 1, 1, MPI_LONG, other_);
    }
#pragma mpi osc_coalesce(this->win_, base_, long, MPI_LONG)
    {
      MPI_Put(v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win_);
      MPI_Win_flush(0, win_);
    }
  }
  void shadowed(long* v, MPI_Win win_) {
#pragma mpi osc_coalesce(win_, base_, long, MPI_LONG)
    {
      MPI_Put(v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win_);
      MPI_Put(v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, this->win_);
    }
  }
};
struct derived : field {
  MPI_Win win_;
  void qualified(long* v) {
#pragma mpi osc_coalesce(win_, base_, long, MPI_LONG)
    {
      MPI_Put(v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win_);
      MPI_Put(v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, this->field::win_);
    }
  }
};

double switched(double* a, int n, MPI_Comm c) {
  double sum = 0;
#pragma mpi cco MPI_Recv(c)
  {
    switch (n) {
    case 3:
      MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n; ++i)
      MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    n = MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      sum += i;
    sum += a[3];
  }
  return sum;
}
