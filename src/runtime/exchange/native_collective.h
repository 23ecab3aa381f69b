// Which of MPI's neighborhood collectives a call is.
#pragma once

#include "runtime/exchange/neighbor_call.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tacit::runtime {

enum class native_collective : std::uint8_t { allgather, allgatherv, alltoall, alltoallv, alltoallw };

inline native_collective kind_of(const neighbor_call& call) {
  if (call.send.blocks == neighbor_side::listing::same)
    return call.receive.blocks == neighbor_side::listing::equal ? native_collective::allgather
                                                                : native_collective::allgatherv;
  if (call.send.blocks == neighbor_side::listing::equal)
    return native_collective::alltoall;
  return call.send.blocks == neighbor_side::listing::varying ? native_collective::alltoallv
                                                             : native_collective::alltoallw;
}

inline const char* name_of(native_collective c) {
  constexpr std::array names{"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
  return names[static_cast<std::size_t>(c)];
}

inline bool is_uniform(const neighbor_side& s) {
  return s.blocks == neighbor_side::listing::same || s.blocks == neighbor_side::listing::equal;
}

inline bool has_neighbor(const std::vector<neighbors::edge>& edges) {
  return std::any_of(edges.begin(), edges.end(), [](const neighbors::edge& e) { return e.peer != no_rank; });
}

} // namespace tacit::runtime
