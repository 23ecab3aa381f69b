// An exchange: who has what of a buffer, who wants it, and who has copies already. What each rank sends to each other follows
// by one formula, and is exactly what point-to-point messages would carry. A collective is a name for an exchange, if there is
// one (discover/classify.h), and never moves anything else: no more in total, and no more at any rank.
#pragma once

#include "tasks/layout/distribution.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tacit::tasks {

enum class collective_kind : std::uint8_t {
  broadcast, ///< from root to all members
  scatter,   ///< from root, disjoint pieces
  gather,    ///< to root, disjoint pieces
  allgather, ///< every member's piece to all members
  alltoall,  ///< every member a piece of its own to every other
  halo,   ///< neighbors exchange borders: a neighborhood collective; only members with neighbors have edges
  reduce, ///< partial values combined, at root
  allreduce,      ///< partial values combined, everywhere
  reduce_scatter, ///< partial values combined, disjoint pieces
};
const char* name_of(collective_kind kind);
constexpr bool is_reduction(collective_kind kind) {
  return kind >= collective_kind::reduce;
}

/// Some ranks: first + i * stride[0] + j * stride[1] + k * stride[2]; members are numbered in row-major order of (i, j, k).
struct group {
  std::uint32_t first = 0;
  std::array<std::uint32_t, dimensions> count{1, 1, 1};
  std::array<std::uint32_t, dimensions> stride{0, 0, 1};
  std::uint32_t size() const { return count[0] * count[1] * count[2]; }
  rank_id member(std::uint32_t number) const;
  bool contains(rank_id rank) const;
  friend bool operator==(const group&, const group&) = default;
};

/// Which ranks take part in an exchange: those of a mesh with the same coordinates along the axes that do not count.
struct team {
  std::uint32_t first = 0;                              ///< rank with coordinates 0
  std::array<std::uint32_t, dimensions> parts{1, 1, 1}; ///< of the mesh, row-major
  std::array<bool, dimensions> along{};                 ///< axes along which ranks exchange
  mesh_range among;                                     ///< coordinates that take part, of the other axes
  /// The group of a rank; nothing if it takes no part.
  std::optional<group> group_of(rank_id rank) const;
  friend bool operator==(const team&, const team&) = default;
};
/// Ranks first … first + count - 1, all together.
team consecutive(std::uint32_t first, std::uint32_t count);

/// One box of one buffer in an exchange: who has it and who wants it.
struct exchange_part {
  buffer_id buffer{};
  box where;
  distribution
      owner; ///< who sends; of a reduction: whose partial values are combined (every rank with a chunk)
  distribution wanted;            ///< who receives
  std::vector<distribution> held; ///< copies that ranks have already; nothing of them is sent again
  friend bool operator==(const exchange_part&, const exchange_part&) = default;
};

/// A collective, the same object on all ranks. Symbolic: what a rank sends is computed when it is asked for, so that planning
/// costs the same for any number of ranks. Repeated exchanges share it: which one of them it is, is said by the command.
struct collective {
  collective_kind kind{};
  rank_id root = no_rank; ///< of broadcast, scatter, gather and reduce
  /// Equal for exchanges of the same parts among the same ranks: what can be persistent.
  std::uint64_t signature = 0;
  std::vector<exchange_part> parts; ///< in messages one after the other
};

/// What rank `from` sends to rank `to` of a part: what it owns, the other wants and has not. Empty for from == to. Not for
/// reductions, where every rank with a chunk contributes to all that is `reduced`.
region moved(const exchange_part& part, rank_id from, rank_id to);
/// All that a rank receives of a part, from whomever: what it wants and has not.
region received(const exchange_part& part, rank_id to);
/// Of a reduction: what of the result rank `to` gets.
region reduced(const exchange_part& part, rank_id to);
/// What `from` sends to every other member alike: its contribution to an allgather, or the root's to a broadcast.
region contribution(const exchange_part& part, rank_id from);

} // namespace tacit::tasks
