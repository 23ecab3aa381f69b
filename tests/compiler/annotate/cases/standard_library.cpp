// Functions of the C++ library whose bodies are in its headers: containers and mathematics.
// RUN: %transform %s 2>&1 >/dev/null | %said
#include <cmath>
#include <mpi.h>
#include <vector>

struct base {
  virtual long at(int i) const { return i; }
  virtual ~base() = default;
};

void coalesced(MPI_Win win, long* memory, const std::vector<long>& values, std::vector<long>& got) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD)
  {
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < static_cast<int>(values.size()); ++i)
      MPI_Put(&values[i], 1, MPI_LONG, 0, i, 1, MPI_LONG, win);
    for (int i = 0; i < 8; ++i)
      MPI_Get(&got[i], 1, MPI_LONG, 1, i, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
  }
}

void overridden(MPI_Win win, long* memory, const base& places, long value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD)
  {
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, 0, places.at(3), 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}

void transposed(double* send, double* got, int n, int size, MPI_Comm comm) {
#pragma mpi overlap MPI_Alltoall(comm)
  {
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p)
        send[p * n + i] = std::sin(i + p) + std::sqrt(2.5f);
    MPI_Alltoall(send, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
  }
}

double exchanged(double* out, double* in, int left, int right, MPI_Comm comm) {
  double sum = 0;
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Sendrecv(out, 9, MPI_DOUBLE, right, 0, in, 9, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      sum += std::cos(i) + std::pow(i, 2);
    sum += in[3];
  }
  return sum;
}
