// What running as tasks adds to the N-body step of the CPD paper's Listing 1: mpiexec -n 2 s3_nbody_overhead
//   [bodies] [microseconds of each kernel] [steps] [rounds]
//
// A step is two kernels and the exchange of all positions. The kernels compute nothing but, if asked to, a chain of
// multiplications of a known length, so that what is compared is all the rest: submitting, planning, executing, MPI. By hand a
// step is the same two loops and MPI_Allgatherv. Rounds of tasks and of the twin alternate, so that both meet the same machine;
// the times are those of the slowest rank. Each round ends with a wait for all tasks. Prints one object of JSON.
#include "twin.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <numeric>
#include <tacit/tasks.hpp>
#include <vector>

namespace {

struct vec3 {
  double x, y, z;
};

double multiplied(double from, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i)
    from = from * 0.999999 + 1e-9;
  return from;
}

/// Multiplications that take one microsecond: the fastest of some runs, so that other processes do not count.
double multiplications_per_microsecond() {
  constexpr std::size_t many = 200'000;
  double shortest = 1e9;
  volatile double sink = 1;
  for (int run = 0; run < 20; ++run) {
    const auto before = std::chrono::steady_clock::now();
    sink = multiplied(sink, many);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - before;
    shortest = std::min(shortest, took.count());
  }
  double mine = many / shortest, least = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

std::size_t argument(int argc, char** argv, int n, std::size_t otherwise) {
  return argc > n ? static_cast<std::size_t>(std::atoll(argv[n])) : otherwise;
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t n = argument(argc, argv, 1, 1024), kernel_us = argument(argc, argv, 2, 0);
  const std::size_t steps = argument(argc, argv, 3, 200), rounds = argument(argc, argv, 4, 20);
  tacit::queue queue;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto parts = static_cast<std::size_t>(ranks), me = static_cast<std::size_t>(rank);
  const std::size_t mine = std::max<std::size_t>(1, n / parts + (me < n % parts ? 1 : 0));
  const auto per_item =
      static_cast<std::size_t>(multiplications_per_microsecond() * double(kernel_us) / double(mine));

  std::vector<vec3> p(n, vec3{1, 2, 3}), v(n, vec3{0, 0, 0});
  tacit::buffer<vec3, 1> P(p.data(), n), V(v.data(), n);
  const auto by_tasks = [&] {
    for (std::size_t t = 0; t < steps; ++t) {
      queue.submit([&](tacit::handler& h) {
        tacit::accessor from(P, h, tacit::access::all(), tacit::read_only);
        tacit::accessor to(V, h, tacit::access::one_to_one(), tacit::read_write);
        h.parallel_for<class time_step>(n, [=](std::size_t i) {
          if (per_item > 0)
            to[i].x = multiplied(from[i].x, per_item);
        });
      });
      queue.submit([&](tacit::handler& h) {
        tacit::accessor from(V, h, tacit::access::one_to_one(), tacit::read_only);
        tacit::accessor to(P, h, tacit::access::one_to_one(), tacit::read_write);
        h.parallel_for<class update_p>(n, [=](std::size_t i) {
          if (per_item > 0)
            to[i].x = multiplied(from[i].x, per_item);
        });
      });
    }
    queue.wait();
  };

  std::vector<int> counts, offsets;
  for (std::size_t r = 0, first = 0; r < parts; ++r) {
    const std::size_t rows = n / parts + (r < n % parts ? 1 : 0);
    counts.push_back(static_cast<int>(3 * rows));
    offsets.push_back(static_cast<int>(3 * first));
    first += rows;
  }
  const auto begin = static_cast<std::size_t>(offsets[me] / 3),
             end = begin + static_cast<std::size_t>(counts[me] / 3);
  const auto by_hand = [&] {
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t i = begin; i < end && per_item > 0; ++i)
        v[i].x = multiplied(p[i].x, per_item);
      for (std::size_t i = begin; i < end && per_item > 0; ++i)
        p[i].x = multiplied(v[i].x, per_item);
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p.data(), counts.data(), offsets.data(), MPI_DOUBLE,
                     MPI_COMM_WORLD);
    }
  };

  std::vector<double> tasks, hand, ratios;
  for (std::size_t round = 0; round <= rounds; ++round) {
    const double a = twin::timed(by_tasks), b = twin::timed(by_hand);
    if (round == 0) // first touch of memory, connections
      continue;
    tasks.push_back(a / double(steps) * 1e6);
    hand.push_back(b / double(steps) * 1e6);
    ratios.push_back(a / b);
  }
  const auto result = queue.fence(P).get();
  const bool equal = std::equal(p.begin(), p.end(), result.get_data(), [](const vec3& a, const vec3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  });
  if (rank == 0)
    std::printf("{\"ranks\": %d, \"bodies\": %zu, \"kernel_us\": %zu, \"steps\": %zu, \"rounds\": %zu, "
                "\"tasks_us\": %.2f, "
                "\"hand_us\": %.2f, \"tasks_least_us\": %.2f, \"hand_least_us\": %.2f, \"ratio\": %.3f}\n",
                ranks, n, kernel_us, steps, rounds, median(tasks), median(hand),
                *std::min_element(tasks.begin(), tasks.end()), *std::min_element(hand.begin(), hand.end()),
                median(ratios));
  return equal ? 0 : 1;
}
