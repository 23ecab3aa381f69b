// Several variants of one thing, timed in one process: short blocks of iterations, one variant after the other,
// again and again. What disturbs the machine for a while disturbs all of them; a block's time is that of its
// slowest rank, and a low percentile over the blocks is reported.
#pragma once

#include <algorithm>
#include <ctime>
#include <mpi.h>
#include <unistd.h>
#include <vector>

namespace bench {

inline double percentile10(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 10];
}

/// What one iteration of a block has cost, in microseconds.
struct block_cost {
  double time = 0; ///< of the slowest rank
  double work = 0; ///< computing time of all ranks per core: with more ranks than cores, what an iteration
                   ///< costs where other programs do not take the cores
};

/// Of this process, in seconds.
inline double computing_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// `iterate(n)` does n iterations. Collective.
template <typename Iterate>
block_cost time_block(Iterate&& iterate, int iterations) {
  constexpr int warm_up = 3; // until buffers and slots are in the caches where this variant leaves them
  MPI_Barrier(MPI_COMM_WORLD);
  iterate(warm_up);
  const double worked = computing_time(), start = MPI_Wtime();
  iterate(iterations);
  double time = MPI_Wtime() - start, work = computing_time() - worked, slowest = 0, all = 0;
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&work, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  return {slowest / iterations * 1e6, all / cores / iterations * 1e6};
}

/// Block times of each variant, about `seconds` long altogether and 15 blocks at least. `iterate(w, n)` does n
/// iterations of variant w. Collective; all ranks get the same times, and in `work` the blocks' computing time.
template <typename Iterate>
std::vector<std::vector<double>> time_interleaved(std::size_t variants, double seconds, Iterate&& iterate,
                                                  std::vector<std::vector<double>>* work = nullptr) {
  constexpr double block_us = 100;
  constexpr int least_iterations = 4, most_iterations = 400;
  constexpr std::size_t least_blocks = 15;
  std::vector<std::vector<double>> times(variants);
  std::vector<int> iterations(variants);
  const auto block = [&](std::size_t w, int n) { return time_block([&](int k) { iterate(w, k); }, n); };
  for (std::size_t w = 0; w < variants; ++w) {
    block(w, 1);
    const double once = std::min(block(w, 2).time, block(w, 2).time);
    iterations[w] =
        std::clamp(static_cast<int>(block_us / std::max(once, 0.01)), least_iterations, most_iterations);
  }
  if (work)
    work->assign(variants, {});
  const double start = MPI_Wtime();
  for (int go_on = 1; go_on;) {
    for (std::size_t w = 0; w < variants; ++w) {
      const block_cost c = block(w, iterations[w]);
      times[w].push_back(c.time);
      if (work)
        (*work)[w].push_back(c.work);
    }
    go_on = MPI_Wtime() - start < seconds || times[0].size() < least_blocks;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return times;
}

} // namespace bench
