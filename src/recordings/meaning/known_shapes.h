// The shapes that are known. Each reader says how many of the next operations of each rank have its shape; these are closed
// (no message leaves them, nothing else lies in between), or nothing is said. No reader moves the stream on.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/known_messages.h"
#include "recordings/meaning/stream.h"

#include <optional>
#include <utility>

namespace tacit::recordings {

struct shaped_portion {
  portion count;
  message_shape shape = message_shape::no_shape; ///< none: a pattern of the core, in `kind`
  pattern kind = pattern::bcast;
  std::uint32_t root = none;                                  ///< position in the group
  bool refilled = false;                                      ///< as in shaped_messages
  message_shape if_equal_by_chance = message_shape::no_shape; ///< likewise
};

inline std::optional<shaped_portion> if_closed(const stream& in, shaped_portion found) {
  return in.is_closed(found.count) ? std::optional(std::move(found)) : std::nullopt;
}

using shape_reader = std::optional<shaped_portion>(const known_messages& known, const stream& in);

/// Exchanges with the rank whose number differs in one bit, each bit once: a barrier, the shape of an allreduce, or of a
/// reduce_scatter by halving. Cost O(ranks · log ranks).
shape_reader exchanges_by_bits;
/// An allreduce by recursive doubling on a number of ranks that is no power of two. On three ranks no content would have to
/// agree, so nothing is claimed there. Cost O(ranks · log ranks).
shape_reader folded_allreduce;
/// An allgather by Bruck's algorithm: in step k each rank hands what it has to the one 2^k before, or after, it. Cost
/// O(ranks · log ranks).
shape_reader blocks_by_doubling;
/// A barrier: in step k each rank tells the one 2^k further on. Cost O(ranks · log ranks).
shape_reader dissemination;
/// A barrier: a tree to a root and back from it, without data. Cost O(ranks²).
shape_reader central_barrier;
/// Every pair of ranks once: an allgather or an alltoall. Cost O(ranks² · log ranks).
shape_reader every_pair;
/// All but one of as many chunks as ranks go to the next rank, one after the other. Cost O(ranks² · log ranks).
shape_reader ring_of_chunks;
/// In step k each rank sends to the one 2^k further on, if there is one. An exclusive scan sends no other messages than an
/// inclusive one: the operand of its own that a rank adds at the end, or does not, stays with it. Cost O(ranks · log ranks).
shape_reader prefix_by_doubling;
/// Each rank's operand goes to the next rank, and all but the first one go on as above with what they got.
shape_reader prefix_of_shifted;
/// Each rank but the root sends once, after it has heard from all that send to it. Cost O(ranks²).
shape_reader tree_to_root;
/// A gather along a tree, of blocks too small to be known by content alone: each rank hands on its own block and all that it got.
/// Cost O(ranks²).
shape_reader blocks_to_root;
/// A scatter along a tree: what a rank hands on are parts of what it got. Cost O(ranks²).
shape_reader blocks_from_root;
/// The same bytes down a tree: each rank but the root receives once, and then sends. Cost O(ranks²).
shape_reader tree_from_root;
/// Each rank but the root sends it the same number of messages with data, perhaps after the root has asked it to with an
/// empty one; one rank after the other. Cost O(ranks · messages of a rank).
shape_reader star_to_root;

} // namespace tacit::recordings
