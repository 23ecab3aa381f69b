// Collectives by the shape of their messages: counts, partners, sizes and order, where content proves nothing,
// because blocks are tiny, because a step may depend on the one before, or because the program computes on what
// it receives.
//
// A shape is a statement about messages only. What it could mean stands in its name: in the shape of a reduction,
// not a reduction. The one exception is the barrier, which is nothing but the order that its messages make.
#pragma once

#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/phases.h"
#include "recordings/meaning/provenance.h"

#include <cstdint>
#include <vector>

namespace tacit::recordings {

/// Messages that have a shape together.
struct shaped_messages {
  std::vector<std::uint32_t> messages;
  message_shape shape = message_shape::no_shape; ///< none: a pattern of the core, in `kind`
  pattern kind = pattern::bcast;
  std::uint32_t root = none; ///< position in the group
  std::uint32_t group = 0;
  std::uint64_t block = 0;
  bool refilled = false; ///< blocks for several ranks are sent from the same memory, with other content
  message_shape if_equal_by_chance =
      message_shape::no_shape; ///< blocks that are equal made a narrower pattern of it
};

/// Shapes among the messages of episodes in which no collective was found without doubt. Cost O(messages · log
/// messages + skipped · ranks): where nothing fits for long, the search is given up.
std::vector<shaped_messages> find_shapes(const recording_set& recorded, const message_table& table,
                                         const provenance& data, const episode_list& episodes,
                                         const fact_table& facts, const std::vector<phase>& phases);

} // namespace tacit::recordings
