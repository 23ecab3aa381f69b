// What calls have to do with messages: which they begin, and what they cost.
#pragma once

#include "recordings/meaning/messages.h"

#include <cstdint>

namespace tacit::recordings {

/// The call begins messages (or would, with another rank than MPI_PROC_NULL).
bool is_posting(call_class kind);

/// Which half of a message a record of this class describes, if any.
enum class side : std::uint8_t { neither, sends, receives };
side side_of(call_class kind, std::uint16_t part);

/// Of a peer that names no rank of this world: it is in another one, or in the other group of an intercommunicator.
bool is_outside(const rank_recording& r, std::uint32_t comm, std::uint32_t world_rank);

/// Calls that one record stands for, and their time.
struct call_time {
  std::uint64_t calls = 1;
  double seconds = 0;
};
call_time time_in(const call& c, call_class kind, double seconds_per_tick);

/// Bytes that this record of a collective call, which begins with the record `head`, contributes.
std::uint64_t contributed_bytes(const rank_recording& r, const call& head, const call& part);

/// Nanoseconds since the first rank's start.
std::int64_t time_of(const rank_recording& r, std::uint64_t tick, std::int64_t first_unix_ns);

/// When the first rank started, in nanoseconds of Unix time.
std::int64_t first_start(const recording_set& recorded);

} // namespace tacit::recordings
