// One step: all variants of one call in one mode on one communicator, and the mixture of calls and messages.
#pragma once

#include "surface/selftest/exchange.h"
#include "surface/selftest/implementation.h"

namespace tacit::surface {

struct step {
  implementation* tested = nullptr;
  const topology* where = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;    ///< with the topology
  MPI_Comm control = MPI_COMM_NULL; ///< all ranks, for our own words
  int what = 0;                     ///< a call, or `mixture`
  mode how = mode::blocking;
  int iterations = 3;
  std::uint64_t seed = 1;
};

struct outcome {
  std::int64_t cases = 0, wrong = 0; ///< cases; the same on all ranks
  std::string first;                 ///< wrong case in words, on rank 0
};

/// Collective. Cases in which a wrong mapping makes lengths differ, and so may hang, come last, and only if
/// those before were right.
outcome run_step(const step& asked, const sample_types& types);

} // namespace tacit::surface
