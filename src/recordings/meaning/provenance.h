// Which bytes of each message were observed to be bytes of an earlier message (the forward records), and from
// which ranks its bytes come in the end.
#pragma once

#include "recordings/meaning/messages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

/// Bytes [offset, +length) of a message are bytes [source_offset, +length) of the message `source`, which its
/// sender had received before.
struct piece {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t source_offset = 0;
  std::uint32_t source = none;
};

inline constexpr std::uint32_t many_origins = 0xfffffffe;

struct provenance {
  std::vector<piece> pieces;            ///< by message, then offset; those of one message do not overlap
  std::vector<std::uint64_t> first;     ///< per message: its first piece; one more entry at the end
  std::vector<std::uint64_t> own_bytes; ///< per message: bytes that no piece covers
  std::vector<std::uint32_t>
      origin; ///< per message: the only world rank its bytes come from, many_origins, or none
  std::span<const piece> of(std::uint32_t message) const {
    return std::span(pieces).subspan(first[message], first[message + 1] - first[message]);
  }
};

/// Reads the forward records; those that contradict the messages (lengths, cycles) are left out. Cost
/// O(records · log).
provenance follow_forwards(const recording_set& recorded, const message_table& table);

} // namespace tacit::recordings
