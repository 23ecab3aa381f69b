/* What all programs with known truth share. Each program is one function, `program_NAME`; the driver runs the ones
 * that it is told to, each on a communicator of its own. Everything that is sent is computed anew each time, so no
 * content repeats by chance. Buffers are static: their addresses stay, as in real programs. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { times = 12, words = 512, most_ranks = 16 };

/* Not inlined and not made a tail call: its name is how the report's call sites are told apart. */
#define PROGRAM(name)                                                                                        \
  __attribute__((noinline, noclone)) void program_##name(MPI_Comm comm, int rank, int size)

static unsigned long truth_random_state = 88172645463325252ul;

static inline void fresh(int* values, int count, int rank) {
  for (int i = 0; i < count; ++i) {
    truth_random_state ^= truth_random_state << 13;
    truth_random_state ^= truth_random_state >> 7;
    truth_random_state ^= truth_random_state << 17;
    values[i] = (int)(truth_random_state >> 33) ^ (rank * 40503);
  }
}

static inline void add(int* to, const int* what, int count) {
  for (int i = 0; i < count; ++i)
    to[i] += what[i];
}

static inline int is_power_of_two(int n) {
  return (n & (n - 1)) == 0;
}

static inline __attribute__((always_inline)) void shift(const int* out, int* in, int count, int to, int from,
                                                        int tag, MPI_Comm comm) {
  MPI_Sendrecv(out, count, MPI_INT, to, tag, in, count, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}
