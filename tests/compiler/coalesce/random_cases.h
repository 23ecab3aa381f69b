// The main function of programs that compare random cases, each a seed: on all ranks together, until three differ.
//
//     program [cases [seed]]
#pragma once

#include <mpi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// MPI has been initialised, on as many processes as the test expects.
inline void begin_cases(int& argc, char**& argv, int& me, int& processes) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const char* const expected = std::getenv("TACIT_EXPECTED_RANKS");
  if (expected && std::atoi(expected) != processes)
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/// Collective. same(seed) says on all ranks alike whether the case of the seed came out the same. Returns how many did not.
template <typename Same>
int compare_cases(int argc, char** argv, std::uint64_t usual, const char* what, Same same) {
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : usual;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::uint64_t done = 0;
  int failures = 0, me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (; done < cases && failures < 3; ++done)
    failures += !same(seed + done);
  if (me == 0)
    std::printf("%" PRIu64 " %s from seed %" PRIu64 " on: %d differ\n", done, what, seed, failures);
  return failures;
}
