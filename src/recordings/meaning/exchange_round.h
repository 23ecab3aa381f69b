// One round of an exchange that goes on and on, and what the order of its messages allows: whether one call
// of a neighborhood collective could do them all.
#pragma once

#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"
#include "recordings/meaning/word_of_messages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

/// What may depend on what within a round. One call sends everything before it receives anything.
enum class round_order : std::uint8_t {
  unknown,   ///< no round repeats in the same way on all ranks
  at_once,   ///< every rank sends everything before it has got anything
  in_turn,   ///< some rank sends after it got something, from other memory: it may depend on that
  dependent, ///< some rank sends bytes that the same round brought
};

struct exchange_round {
  round_order order = round_order::unknown;
  bool told_by_others =
      false; ///< some rank sends after others, which had got something, may have told it of that
  bool overlapping = false; ///< some rank receives into memory that it has sent from in the same round
  bool answers = false;     ///< some rank sends to another one only after it got something of that one
  bool shifts =
      false; ///< ranks with several partners send to one while they receive from another, in one call
  std::vector<std::uint32_t> messages; ///< of one round, from the middle; empty if unknown
};

/// The round that `messages`, a part of those of the run, consist of. Cost O(messages · log messages) and, for
/// every different choice of buffers, the runs of memory they have.
exchange_round find_round(const recording_set& recorded, const message_table& table, const provenance& data,
                          word_of_messages& word, std::span<const std::uint32_t> messages);

} // namespace tacit::recordings
