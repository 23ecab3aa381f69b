// What the recorder keeps of one call between before and after.
#pragma once

#include "interpose/layer/invocation.h"
#include "interpose/recorder/content.h"
#include "interpose/recorder/forward.h"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace tacit::interpose {

/// A request as it was when the call began: by the time the call returns, its handle may name another
/// request.
struct seen_request {
  std::uint64_t handle;
  std::uint64_t id;   ///< 0: null, inactive or never seen
  std::uint32_t slot; ///< in the recorder's table, or none
  static constexpr std::uint32_t none = ~0u;
};

struct call_notes {
  bool slow = false;          ///< much was done before the call: the time is taken again
  bool hash_later = false;    ///< what is sent is to be hashed after the call
  content_note content;       ///< of the bytes sent
  mutable bool noted = false; ///< the call has a record, or is counted
  std::uint32_t path = 0;     ///< how the program came here
  std::uint32_t freed = 0;    ///< recording's id of the communicator being freed
  MPI_Message message{};
  std::vector<forwarded_part> forwards;
  short_list<seen_request, 8> requests;
  short_list<MPI_Status, 8> statuses;
};

/// Of a call that `before` has been shown.
inline call_notes& notes_of(invocation& v) {
  return v.notes.get<call_notes>();
}
inline const call_notes& notes_of(const invocation& v) {
  return v.notes.get<call_notes>();
}

} // namespace tacit::interpose
