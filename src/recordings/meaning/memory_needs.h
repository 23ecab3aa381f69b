// What a collective asks of memory that the messages in its place did without.
//
// A call reads all blocks that a rank gives and writes all that it gets. Messages one after the other can do with less: a
// root may compute each block into the same buffer just before it sends it, and whoever gets blocks may use each before the next one comes.
// Then the call moves the same data only if there is memory for all of them at once. Calls with blocks of one length
// moreover want them side by side in the order of the ranks.
#pragma once

#include "recordings/meaning/episode_graph.h"
#include "recordings/meaning/known_messages.h"
#include "vocabulary/calls/patterns.h"

#include <cstdint>
#include <span>

namespace tacit::recordings {

struct memory_needs {
  bool to_send = false;    ///< some rank sends several blocks of its own from the same memory
  bool to_receive = false; ///< some rank receives several blocks into the same memory, or over its own
  bool order = false; ///< the blocks of some rank do not lie in the order of the ranks, equally far apart
  void add(const memory_needs& other) {
    to_send = to_send || other.to_send;
    to_receive = to_receive || other.to_receive;
    order = order || other.order;
  }
};

/// Of the messages of one collective of a kind with blocks of `block` bytes on a group. Cost O(messages · log messages +
/// runs of memory).
memory_needs find_memory_needs(const known_messages& known, std::span<const std::uint32_t> messages,
                               pattern kind, std::uint64_t block, std::uint32_t group,
                               group_positions& positions);

} // namespace tacit::recordings
