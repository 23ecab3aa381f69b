// Where the block of each process is cut, and from which value of the loop's counter on a part is complete.
#pragma once

#include "compiler/coalesce/known_exchange.h"

namespace tacit::compiler {

inline int place_of(const tacit_pipeline& p, int part) {
  return static_cast<int>(static_cast<long long>(p.count) * part / p.parts);
}

inline std::ptrdiff_t block_bytes(const tacit_pipeline& p) {
  return static_cast<std::ptrdiff_t>(p.count) * p.type_bytes;
}

/// How many parts a block makes. Those of MPI_Ialltoall are the same everywhere; rows that are put are each process's own affair.
int parts_of(const tacit_pipeline& p, way how);

/// The least value of the counter from which on no store goes into a part; `never`: behind the loop.
long long ready_of(const tacit_pipeline& p, int part);

} // namespace tacit::compiler
