#include "recordings/meaning/calls.h"

#include <algorithm>
#include <limits>

namespace tacit::recordings {

call_class class_of(const call& c) {
  const call_row* row = find_call(c.id);
  return row == nullptr ? call_class::local : row->kind;
}

bool is_collective(call_class kind) {
  return kind == call_class::collective || kind == call_class::icollective || kind == call_class::neighbor ||
         kind == call_class::ineighbor;
}

bool is_posting(call_class kind) {
  switch (kind) {
  case call_class::send:
  case call_class::recv:
  case call_class::sendrecv:
  case call_class::isend:
  case call_class::irecv:
  case call_class::isendrecv:
  case call_class::start:
  case call_class::mrecv:
  case call_class::imrecv:
    return true;
  default:
    return false;
  }
}

namespace {

bool is_poll(call_class kind) {
  return kind == call_class::complete || kind == call_class::probe || kind == call_class::mprobe;
}

} // namespace

side side_of(call_class kind, std::uint16_t part) {
  switch (kind) {
  case call_class::send:
  case call_class::isend:
    return side::sends;
  case call_class::recv:
  case call_class::irecv:
  case call_class::mrecv:
  case call_class::imrecv:
    return side::receives;
  case call_class::sendrecv:
  case call_class::isendrecv:
  case call_class::start:
    return part == 1 ? side::receives : side::sends;
  default:
    return side::neither;
  }
}

bool is_outside(const rank_recording& r, std::uint32_t comm, std::uint32_t world_rank) {
  return world_rank == not_in_world || (comm != none && r.communicators[comm].inter);
}

// Polls that found nothing are one record from the first to the last: what lies between is not MPI's time.
call_time time_in(const call& c, call_class kind, double seconds_per_tick) {
  if (is_poll(kind) && (c.flags & call_flag_true) == 0 && c.count > 1)
    return {c.count, 0};
  return {1, static_cast<double>(c.end - c.begin) * seconds_per_tick};
}

std::uint64_t contributed_bytes(const rank_recording& r, const call& head, const call& part) {
  const call_row* const row = find_call(head.id);
  const bool is_bcast = row->id == mpi_call::Bcast || row->twin == mpi_call::Bcast;
  const auto me = static_cast<std::int32_t>(r.communicators[head.comm].rank);
  const bool contributes = part.part == 0 && (!is_bcast || part.peer == me || part.peer == peer_root);
  return contributes && part.layout != none ? r.layouts[part.layout].size * part.count : 0;
}

std::int64_t time_of(const rank_recording& r, std::uint64_t tick, std::int64_t first_unix_ns) {
  const auto ticks = static_cast<double>(static_cast<std::int64_t>(tick - r.start_tick));
  return r.start_unix_ns - first_unix_ns + static_cast<std::int64_t>(ticks * r.seconds_per_tick * 1e9);
}

std::int64_t first_start(const recording_set& recorded) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const rank_recording& r : recorded.recordings)
    first = std::min(first, r.start_unix_ns);
  return first;
}

} // namespace tacit::recordings
