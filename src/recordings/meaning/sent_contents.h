// Contents that ranks send several times: the same memory, or parts of one area, as far as nothing happened in between.
#pragma once

#include "recordings/meaning/known_messages.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tacit::recordings {

struct sent_contents {
  std::vector<std::uint32_t> since; ///< per message: the call that first sent what it sends, or none
  /// Messages that belong together because they send the same memory with the same content, or overlapping memory.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ties;
};

/// Messages of fewer than `smallest_evidence` bytes tie nothing. Cost O(calls · log calls).
sent_contents find_sent_contents(const known_messages& known, std::uint64_t smallest_evidence);

/// Whether the call of this rank is the one that sends the message.
inline bool is_sent_by(const message& m, std::uint32_t rank, std::uint32_t call) {
  return m.from == rank && m.send_call == call;
}

} // namespace tacit::recordings
