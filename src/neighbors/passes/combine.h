// Message combining on a torus: blocks travel dimension by dimension, and in each dimension all that go
// equally far go in one message.
//
// Problem: with the 26 cells around a cell as neighbors, 26 small messages cost 26 times the overhead of one.
// Idea (Träff and Hunold, Cartesian collective communication, ICPP 2019, section 3): a block for the neighbor
// at (x, y, z) goes x steps in the first dimension, is handed on y steps in the second one, and z steps in
// the third one. All ranks do the same relative thing at the same time, so whoever sends to the rank at
// distance c receives the same blocks from the rank at distance -c: 6 messages instead of 26, 12 instead of
// 124. What allgather sends is the same for all neighbors, so of blocks with equal path so far only one
// travels (their routes form a tree).
//
// It needs what only persistent operations know: that all blocks of all ranks have one size. Offsets are
// taken modulo the size of their dimension, so on small tori messages fall together as they should. Each pair
// of ranks exchanges at most one message: two different distances in one dimension, or in two dimensions,
// never lead to the same rank. Cost: sum over dimensions of the different distances, in messages; every block
// is sent once per dimension in which it moves.
#pragma once

#include "neighbors/passes/neighbor.h"

namespace tacit::neighbors {

/// True if all dimensions are periodic, so that every path exists.
bool can_combine(const topology& t);

/// What it costs, for one rank as for all others.
struct combining_cost {
  std::size_t messages_direct = 0, messages_combined = 0; ///< sent per rank
  std::size_t rounds = 0;                                 ///< dimensions in which anything moves
  std::uint64_t blocks_direct = 0, blocks_combined = 0;   ///< that travel, per rank
};
combining_cost cost_of_combining(const topology& t, bool same_block);

/// The plan of one rank. `t` must be a stencil that can be combined, all blocks of equal size; `same_block`:
/// the outgoing blocks are one and the same (allgather).
graphs::rank_plan combined(const topology& t, rank_id rank, const neighbor_blocks& blocks, bool same_block);

} // namespace tacit::neighbors
