// Names of the patterns tacit detects: MPI's collective operations.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstdint>
#include <string_view>

namespace tacit::vocabulary {

enum class pattern : std::uint8_t {
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  bcast,
  scatter,
  scatterv,
  gather,
  gatherv,
  barrier,
};

/// The lower-case MPI name without prefix, for example "allgatherv".
constexpr std::string_view name(pattern kind) {
  constexpr std::string_view names[] = {"allgather", "allgatherv", "alltoall", "alltoallv", "bcast",
                                        "scatter",   "scatterv",   "gather",   "gatherv",   "barrier"};
  return names[static_cast<int>(kind)];
}

/// True for patterns with a distinguished rank.
constexpr bool is_rooted(pattern kind) {
  return kind == pattern::bcast || kind == pattern::scatter || kind == pattern::scatterv ||
         kind == pattern::gather || kind == pattern::gatherv;
}

} // namespace tacit::vocabulary
