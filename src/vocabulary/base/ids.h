// Strong ids: a rank is not an operation is not a communicator, and the compiler knows it.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tacit::vocabulary {

/// A process. In a graph: 0 … graph.ranks()-1, always numbered in the graph's first (widest) group.
enum class rank_id : std::uint32_t {};
/// An operation of a graph, numbered in creation order over all ranks.
enum class op_id : std::uint32_t {};
/// A communicator (group of ranks with its own matching space) of a graph; 0 is the group of all ranks.
enum class comm_id : std::uint16_t {};

inline constexpr rank_id no_rank{std::numeric_limits<std::uint32_t>::max()};
inline constexpr op_id no_op{std::numeric_limits<std::uint32_t>::max()};
inline constexpr comm_id world{0};

/// The id as an array index.
template <typename Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// The rank as MPI counts it.
constexpr std::uint32_t number(rank_id rank) {
  return static_cast<std::uint32_t>(rank);
}

} // namespace tacit::vocabulary
