// ranks=3
// Messages from and into containers of the standard library, between functions of the file, loops over ranges, and what gives elements
// other places.
#include <array>
#include <cstdio>
#include <mpi.h>
#include <utility>
#include <vector>

namespace {

constexpr int count = 400;

double smooth(const std::vector<double>& from, std::vector<double>& to) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < from.size(); ++i) {
    to[i] = 0.5 * from[i] + 0.25 * (from[i - 1] + from[i + 1]);
    sum += to[i];
  }
  return sum;
}
void add_to(double* to, int n, double what) {
  for (int i = 0; i < n; ++i)
    to[i] += what;
}
double& middle_of(std::vector<double>& all) {
  return all[all.size() / 2];
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
  std::vector<double> out(count), in(count), inner(1000, rank + 1.0), next(1000);
  std::array<double, count> fixed{};
  double sum = 0;
#pragma mpi cco MPI_SendRecv(comm)
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < count; ++i)
      out[i] = inner[i + 1] + step;
    MPI_Sendrecv(out.data(), count, MPI_DOUBLE, right, 0, in.data(), static_cast<int>(in.size()), MPI_DOUBLE, left, 0,
                 comm, MPI_STATUS_IGNORE);
    sum += smooth(inner, next);
    for (double& x : inner)
      x += 0.125;
    sum += in[step];
    std::swap(inner, next);
  }
#pragma mpi cco MPI_SendRecv(comm)
  for (int step = 0; step < 8; ++step) {
    MPI_Sendrecv(&out[0], count, MPI_DOUBLE, left, 1, fixed.data(), count, MPI_DOUBLE, right, 1, comm,
                 MPI_STATUS_IGNORE);
    add_to(next.data(), 1000, step);
    middle_of(out) = step; // of what is sent
    fixed[1] += 1;
    MPI_Sendrecv(in.data(), count, MPI_DOUBLE, right, 2, &out[0], count, MPI_DOUBLE, left, 2, comm, MPI_STATUS_IGNORE);
    for (const double x : fixed)
      sum += x;
    in.push_back(sum); // elsewhere, from now on
    add_to(in.data(), count, 1);
    double& last = out.back();
    last += 1;
    MPI_Sendrecv(next.data(), count, MPI_DOUBLE, right, 3, in.data(), count, MPI_DOUBLE, left, 3, comm,
                 MPI_STATUS_IGNORE);
    sum += smooth(out, inner);
    next.swap(inner);
    add_to(next.data(), 1000, 0.5);
    static_cast<double&>(inner[2]) = sum;
  }
  std::vector<std::vector<double>> rows(3, std::vector<double>(count));
  const std::vector<double>& row = rows[1];
#pragma mpi cco MPI_SendRecv(comm)
  for (int step = 0; step < 8; ++step) {
    MPI_Sendrecv(out.data(), count, MPI_DOUBLE, right, 4, rows[1].data(), count, MPI_DOUBLE, left, 4, comm,
                 MPI_STATUS_IGNORE);
    sum += smooth(inner, next);
    for (int i = 0; i < count; ++i)
      sum += row[i];
    for (double& x : out)
      x += 1;
  }
  for (const auto* all : {&out, &in, &inner, &next})
    for (const double x : *all)
      sum += x;
  double total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (rank == 0)
    std::printf("%.17g\n", total);
  MPI_Finalize();
  return 0;
}
