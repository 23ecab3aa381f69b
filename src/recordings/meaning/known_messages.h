// What readers of shapes ask of messages. No product of its own: references to the recordings and the table.
#pragma once

#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"
#include "recordings/meaning/stream.h"

#include <cstdint>

namespace tacit::recordings {

struct known_messages {
  const recording_set& recorded;
  const message_table& table;
  const provenance& data;
  std::uint64_t smallest_evidence = 64; ///< blocks with fewer bytes are not known by their content

  const message& of(const stream_operation& o) const { return table.messages[o.message]; }
  const call& sent_by(std::uint32_t id) const {
    const message& m = table.messages[id];
    return recorded.recordings[table.recording_of_rank[m.from]].calls[m.send_call];
  }
  const call& received_by(std::uint32_t id) const {
    const message& m = table.messages[id];
    return recorded.recordings[table.recording_of_rank[m.to]].calls[m.recv_call];
  }
  bool is_hashed(std::uint32_t id) const {
    return table.messages[id].consistent && (sent_by(id).flags & call_hash_valid) != 0;
  }
  /// Most of its bytes are bytes that its sender had received.
  bool passes_on(std::uint32_t id) const {
    return table.messages[id].bytes > 0 && data.own_bytes[id] * 2 <= table.messages[id].bytes;
  }
};

} // namespace tacit::recordings
