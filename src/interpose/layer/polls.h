// Polls that find nothing, as cheap as they can be for whoever counts them.
//
// Programs poll millions of times between two messages (RandomAccess in hpcc: 8 million times in a second of
// CPU time), often several things in turn. To describe each would cost more than the poll. So a client may
// leave the newest few unsuccessful polls open: a wrapper that is called with what an open poll had calls the
// library at once, and if nothing was found again it adds one to the client's number, without time stamps,
// clients or tables. Whatever else the client is shown closes them. Only when a poll succeeds is it shown,
// after the fact.
//
// Not where other threads may call MPI, and not where a client does calls in the library's place.
#pragma once

#include "interpose/layer/clock.h"
#include "vocabulary/calls/mpi_calls.h"

#include <cstdint>
#include <cstring>
#include <mpi.h>

namespace tacit::interpose {

struct open_poll {
  const void* from = nullptr;     ///< return address
  std::uint64_t key = 0;          ///< of the call and its arguments
  std::uint64_t* times = nullptr; ///< how often nothing was found
  std::uint64_t* end = nullptr;   ///< tick when the last one returned
};

inline constexpr std::size_t max_open_polls = 4;
inline constexpr int quick_poll_requests = 8; ///< polls of more requests are described

extern open_poll open_polls[max_open_polls];
extern std::size_t open_poll_count;
extern bool quick_polls; ///< wrappers may use the open polls

inline std::uint64_t mix_poll_key(std::uint64_t key, std::uint64_t word) {
  return (key ^ word) * 0x9e3779b97f4a7c15u + (key >> 29);
}

inline std::uint64_t poll_key(mpi_call call, const MPI_Request* requests, int count) {
  auto key = static_cast<std::uint64_t>(call);
  for (int i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, &requests[i], sizeof requests[i]);
    key = mix_poll_key(key, word);
  }
  return key;
}

inline std::uint64_t poll_key(mpi_call call, MPI_Comm comm, int source, int tag) {
  std::uint64_t word = 0;
  std::memcpy(&word, &comm, sizeof comm);
  const std::uint64_t asked =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(tag);
  return mix_poll_key(mix_poll_key(static_cast<std::uint64_t>(call), word), asked);
}

inline open_poll* find_open_poll(const void* from, std::uint64_t key) {
  for (std::size_t i = 0; i < open_poll_count; ++i)
    if (open_polls[i].from == from && open_polls[i].key == key)
      return &open_polls[i];
  return nullptr;
}

/// False if the client was shown something else since (by a callback of the program, while the library was
/// polling).
inline bool still_open(const open_poll* poll) {
  return poll < open_polls + open_poll_count;
}

/// The poll found nothing once more. The end of a row is stamped now and then only, of a short one when it has doubled: who
/// polls between two looks at memory (RandomAccess) waits for the counter instead of for the next one.
inline void repeat_poll(const open_poll& poll) {
  const std::uint64_t times = ++*poll.times;
  if ((times & (times - 1)) == 0 || times % 32 == 0)
    *poll.end = ticks_now();
}

/// What a successful poll changes, as it was before: handles, and statuses where the program wants none.
struct poll_frame {
  poll_frame() = default;
  poll_frame(const MPI_Request* from, int count) {
    for (int i = 0; i < count; ++i) {
      requests[i] = from[i];
      asm volatile(
          "" ::
              : "memory"); // else GCC makes `rep movs` of the loop, whose beginning took half the time of a poll
    }
  }
  MPI_Request requests[quick_poll_requests];
  MPI_Status statuses[quick_poll_requests];
};

} // namespace tacit::interpose
