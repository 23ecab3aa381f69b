// Several ways to do one thing, timed in one process: short blocks of iterations, one way after the other,
// again and again. What disturbs the machine for a while disturbs all of them; a block's time is that of its
// slowest rank, and a low percentile over the blocks is reported.
#pragma once

#include <algorithm>
#include <mpi.h>
#include <vector>

namespace bench {

inline double percentile10(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 10];
}

/// Microseconds per iteration, of the slowest rank. `iterate(n)` does n iterations. Collective.
template <typename Iterate>
double time_block(Iterate&& iterate, int iterations) {
  constexpr int warm_up = 3; // until buffers and slots are in the caches where this way leaves them
  MPI_Barrier(MPI_COMM_WORLD);
  iterate(warm_up);
  const double start = MPI_Wtime();
  iterate(iterations);
  double time = (MPI_Wtime() - start) / iterations, slowest = 0;
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest * 1e6;
}

/// Block times of each way, about `seconds` long altogether and five blocks at least. `iterate(w, n)` does n
/// iterations of way w. Collective; all ranks get the same times.
template <typename Iterate>
std::vector<std::vector<double>> time_interleaved(std::size_t ways, double seconds, Iterate&& iterate) {
  constexpr double block_us = 100;
  constexpr int least_iterations = 4, most_iterations = 400;
  std::vector<std::vector<double>> times(ways);
  std::vector<int> iterations(ways);
  const auto block = [&](std::size_t w, int n) { return time_block([&](int k) { iterate(w, k); }, n); };
  for (std::size_t w = 0; w < ways; ++w) {
    block(w, 1);
    const double once = std::min(block(w, 2), block(w, 2));
    iterations[w] =
        std::clamp(static_cast<int>(block_us / std::max(once, 0.01)), least_iterations, most_iterations);
  }
  const double start = MPI_Wtime();
  for (int go_on = 1; go_on;) {
    for (std::size_t w = 0; w < ways; ++w)
      times[w].push_back(block(w, iterations[w]));
    go_on = MPI_Wtime() - start < seconds || times[0].size() < 5;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return times;
}

} // namespace bench
