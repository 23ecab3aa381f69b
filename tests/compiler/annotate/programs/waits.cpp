// ranks=3
// A program in C++ that posts and waits itself, and one that exchanges by MPI_Sendrecv, with a function that throws between.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include <vector>

namespace {

constexpr int count = 300;

void compute(std::vector<double>& inner) noexcept {
  for (std::size_t i = 1; i < inner.size(); ++i)
    inner[i] = 0.5 * inner[i] + 0.25 * inner[i - 1];
}
void compute_or_throw(std::vector<double>& inner, int step) {
  compute(inner);
  if (step == 5)
    throw std::runtime_error("enough");
}
double use(const double* halo) noexcept {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += halo[i] * (i % 5 + 1);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  std::vector<double> inner(1000, rank + 1.0);
  double out[count];
  double in[count];
  double sum = 0;
#pragma mpi cco MPI_SendRecv(comm)
  for (int step = 0; step < 6; ++step) {
    MPI_Request requests[2];
    for (int i = 0; i < count; ++i)
      out[i] = inner[1 + i] + step;
    MPI_Irecv(in, count, MPI_DOUBLE, left, 0, comm, &requests[0]);
    MPI_Isend(out, count, MPI_DOUBLE, right, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#pragma mpi indep MPI_SendRecv(comm)
    compute(inner);
    sum += use(in);
  }
  try {
#pragma mpi cco MPI_Sendrecv(comm)
    for (int step = 0; step < 9; ++step) {
      for (int i = 0; i < count; ++i)
        out[i] = inner[1 + i] - step;
      MPI_Sendrecv(out, count, MPI_DOUBLE, right, 0, in, count, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv(comm)
      compute_or_throw(inner, step);
      sum += use(in);
    }
  } catch (const std::exception&) {
    sum += in[count / 2];
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (rank == 0)
    std::printf("%.17g\n", all);
  MPI_Finalize();
  return 0;
}
