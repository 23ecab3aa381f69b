// What the examples share: a program of tasks beside its twin by hand, in plain MPI; both are timed and their results compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

namespace twin {

inline int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
inline int ranks() {
  int n = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

/// The n-th argument as a number.
inline std::size_t argument(int argc, char** argv, int n, std::size_t otherwise) {
  return argc > n ? static_cast<std::size_t>(std::atoll(argv[n])) : otherwise;
}

/// Rows of this rank, as tasks divide them: the first ranks have one more.
struct rows {
  std::vector<int> counts, offsets;
  explicit rows(std::size_t all, std::size_t width = 1) {
    std::size_t first = 0;
    for (std::size_t r = 0, p = static_cast<std::size_t>(ranks()); r < p; ++r) {
      const std::size_t mine = all / p + (r < all % p ? 1 : 0);
      counts.push_back(static_cast<int>(mine * width));
      offsets.push_back(static_cast<int>(first * width));
      first += mine;
    }
    begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(rank())]) / width;
    end = begin + static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]) / width;
  }
  std::size_t begin = 0, end = 0;
};

/// The longest of the ranks' times for `work`, in seconds.
template <typename Work>
double timed(const Work& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = MPI_Wtime();
  work();
  double mine = MPI_Wtime() - before, longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

/// By hand: the transposed of a matrix that is distributed by rows, distributed likewise. `from` and `to` are this rank's rows.
/// What another rank gets is packed, as its columns are this rank's pieces of them.
template <typename T>
void transpose(const T* from, std::size_t height, std::size_t width, T* to) {
  static_assert(sizeof(T) % sizeof(double) == 0);
  const int each = sizeof(T) / sizeof(double);
  const rows before(height), after(width);
  const std::size_t mine = before.end - before.begin, turned = after.end - after.begin,
                    p = before.counts.size();
  std::vector<T> sent(mine * width), received(turned * height);
  std::vector<int> to_counts, to_offsets, from_counts, from_offsets;
  for (std::size_t r = 0, at = 0, back = 0; r < p; ++r) {
    const auto first = static_cast<std::size_t>(after.offsets[r]),
               count = static_cast<std::size_t>(after.counts[r]);
    to_offsets.push_back(each * static_cast<int>(at));
    to_counts.push_back(each * static_cast<int>(mine * count));
    from_offsets.push_back(each * static_cast<int>(back));
    from_counts.push_back(each * static_cast<int>(turned) * before.counts[r]);
    back += turned * static_cast<std::size_t>(before.counts[r]);
    for (std::size_t j = first; j < first + count; ++j)
      for (std::size_t i = 0; i < mine; ++i)
        sent[at++] = from[i * width + j];
  }
  MPI_Alltoallv(sent.data(), to_counts.data(), to_offsets.data(), MPI_DOUBLE, received.data(),
                from_counts.data(), from_offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  for (std::size_t r = 0, at = 0; r < p; ++r)
    for (std::size_t j = 0; j < turned; ++j)
      for (int i = 0; i < before.counts[r]; ++i)
        to[j * height + static_cast<std::size_t>(before.offsets[r] + i)] = received[at++];
}

/// Prints both times; returns main()'s result: 0 if no element differs by more than `tolerance`, relatively.
inline int compare(const char* name, double tasks_seconds, double hand_seconds, const double* tasks,
                   const double* hand, std::size_t elements, double tolerance = 0) {
  double worst = 0;
  for (std::size_t i = 0; i < elements; ++i)
    if (!(tasks[i] == hand[i]))
      worst = std::max(worst, std::abs(tasks[i] - hand[i]) / std::max(1e-300, std::abs(hand[i])));
  double all = 0;
  MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank() == 0)
    std::printf("%s on %d ranks: tasks %.3f ms, by hand %.3f ms, largest relative difference %.2g: %s\n",
                name, ranks(), tasks_seconds * 1e3, hand_seconds * 1e3, all,
                all <= tolerance ? "equal" : "WRONG");
  return all <= tolerance ? 0 : 1;
}

} // namespace twin
