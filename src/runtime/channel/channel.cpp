#include "runtime/channel/channel.h"

#include "graphs/platform/channel_lengths.h"
#include "runtime/channel/copy_past_caches.h"
#include "runtime/channel/direct_read.h"
#include "runtime/channel/pieces.h"
#include "vocabulary/base/copy_memory.h"

#include <algorithm>
#include <bit>
#include <span>

namespace tacit::runtime {
namespace {

/// Messages up to here have a slot of their own size; larger ones go through a ring of pieces. Beyond 8 KiB,
/// too, both take the same time, but a ring needs more memory to be made.
constexpr std::uint64_t largest_slot = 8192;
/// 8 KiB with the flag in a line of its own, so that payload and user memory stay aligned alike.
constexpr std::uint32_t ring_stride = 8192;
constexpr std::uint64_t ring_piece = ring_stride - cache_line;
static_assert(ring_piece <= largest_slot);
/// Room for a message of 256 KiB one way, and for two of 128 KiB both ways, which then need no acknowledgement (128 KiB take 0.91 of the time
/// of 32 slots, which are just too few). Longer ones wait for each other less often: at 256 KiB 32 slots take 0.87 of the time of 8.
constexpr std::uint32_t ring_slots = 34;
/// Where nobody attends to a channel, all of a message must find room: up to 128 pieces (1016 KiB).
constexpr std::uint32_t unattended_ring_slots = 256;

/// A source that gets nothing back may run ahead of its destination, as with MPI's eager messages: with more
/// ranks than cores a change of processes then serves several runs. Ranks that send in a circle are never
/// further apart than the circle is long.
struct run_ahead {
  std::uint64_t lines, bytes;
  std::uint32_t ring_slots; ///< of longer messages, at least
};
constexpr run_ahead usual{32, 32 * 1024, 0};
/// MPICH's ranks spin, and each change of processes takes 100 us there, which MPI's own messages of 4 KiB share by 30 runs and more.
constexpr run_ahead among_crowded{128, 256 * 1024, 64};

/// Lines that are worth fetching ahead of a message; more would push out what the program works on.
constexpr std::size_t claimed_bytes = 4096;

constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// So many slots of that stride: as many as lines and more, as long as they are no longer than their share of the bytes.
constexpr std::uint32_t one_way_slots(std::uint64_t stride, const run_ahead& room) {
  const std::uint64_t slots_of_line = std::max<std::uint64_t>(1, cache_line / stride);
  return static_cast<std::uint32_t>(std::min(room.lines * slots_of_line, room.bytes / stride));
}

/// Several short messages of a source that runs ahead travel in one line, which is what each costs then: 8 B between two cores take 0.6 of the
/// time of a line each where they share no cache, and the same where they do. Both ways a line never has two messages.
constexpr std::uint32_t shared_line_stride(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(
      std::bit_ceil(round_up(bytes, sizeof(std::uint64_t)) + sizeof(std::uint64_t)));
}

/// Fetches a line in order to write it. Without -mprfchw compilers turn __builtin_prefetch(p, 1) into a
/// prefetch for reading, which leaves the line shared; the instruction itself runs on every x86-64.
inline void prefetch_for_write(const std::byte* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1);
#endif
}

} // namespace

std::uint64_t longest_without_acknowledgement() {
  return unattended_ring_slots / 2 * ring_piece;
}

channel_shape shape_for(std::uint64_t bytes, bool reciprocal, bool canary, bool unattended, bool crowded) {
  const run_ahead& room = crowded ? among_crowded : usual;
  channel_shape shape;
  shape.bytes = bytes;
  shape.reciprocal = reciprocal;
  if (bytes <= largest_slot) {
    shape.piece_bytes = bytes;
    shape.stride = static_cast<std::uint32_t>(canary ? round_up(bytes + sizeof(std::uint64_t), cache_line)
                                                     : round_up(bytes, cache_line) + cache_line);
    if (!reciprocal) {
      if (canary && bytes + sizeof(std::uint64_t) <= cache_line / 2)
        shape.stride = shared_line_stride(bytes);
      shape.slots = one_way_slots(shape.stride, room);
    }
  } else {
    shape.piece_bytes = ring_piece;
    shape.pieces = static_cast<std::uint32_t>((bytes + ring_piece - 1) / ring_piece);
    shape.stride = ring_stride;
    shape.slots = std::min(2 * shape.pieces, unattended && reciprocal ? unattended_ring_slots : ring_slots);
    if (!reciprocal)
      shape.slots = std::max(shape.slots, room.ring_slots);
  }
  shape.direct = bytes >= graphs::least_direct;
  shape.counted = !reciprocal || shape.slots < 2 * shape.pieces;
  return shape;
}

channel_port::channel_port(const channel_shape& shape, std::byte* memory,
                           std::vector<graphs::segment> payload)
    : user_(payload), slots_(memory),
      behind_(reinterpret_cast<direct_memory*>(memory + std::size_t{shape.slots} * shape.stride)),
      piece_bytes_(shape.piece_bytes), bytes_(shape.bytes), stride_(shape.stride) {
  if (shape.direct || shape.placed)
    list_ = std::move(payload);
}

void channel_port::move(std::ptrdiff_t by) {
  user_.move(by);
  for (graphs::segment& s : list_)
    s.address += static_cast<std::uint64_t>(by);
}

void channel_port::use_payload_of(channel_port&& other) {
  user_ = std::move(other.user_);
  list_ = std::move(other.list_);
}

void source_port::fill(std::uint32_t slot, std::uint32_t piece) {
  const std::uint64_t first = start_of(piece), n = length_of(piece);
  if (past_caches())
    fill_past_caches(slot, piece);
  else if (const std::byte* const user = user_.contiguous(first, n))
    copy_memory(slot_at(slot), user, n);
  else
    user_.gather(slot_at(slot), first, n);
}

/// Only whole lines can be written past the cache, so short pieces of memory are gathered in it first.
void source_port::fill_past_caches(std::uint32_t slot, std::uint32_t piece) {
  constexpr std::uint64_t shortest = 512;
  const std::uint64_t first = start_of(piece), n = length_of(piece);
  std::byte* const at = slot_at(slot);
  if (user_.average_piece() < shortest) {
    alignas(cache_line) std::byte gathered[largest_slot];
    user_.gather(gathered, first, n);
    copy_past_caches(at, gathered, n);
  } else {
    user_.each_piece(first, n, [&](std::uint64_t offset, const std::byte* user, std::uint64_t bytes) {
      copy_past_caches(at + offset, user, bytes);
    });
  }
  order_copies();
}

void destination_port::drain(std::uint32_t slot, std::uint32_t piece) {
  const std::uint64_t first = start_of(piece), n = length_of(piece);
  if (std::byte* const user = user_.contiguous(first, n))
    copy_memory(user, slot_at(slot), n);
  else
    user_.scatter(slot_at(slot), first, n);
}

bool source_port::offer(std::uint64_t message) const {
  const bool fits = list_.size() <= offered_segments && !far;
  if (fits) {
    behind().count = list_.size();
    std::copy(list_.begin(), list_.end(), behind().addresses);
  }
  std::atomic_ref(behind().offer).store(direct_word(message, !fits), std::memory_order_release);
  return fits;
}

void source_port::place() const {
  each_paired_piece(list_, targets, [&](std::uint64_t from, std::uint64_t into, std::uint64_t n) {
    auto* const to = reinterpret_cast<std::byte*>(into);
    const auto* const user = reinterpret_cast<const std::byte*>(from);
    if (far)
      copy_past_caches(to, user, n);
    else
      copy_memory(to, user, n);
  });
  if (far)
    order_copies();
}

bool destination_port::pull() const {
  const direct_memory& there = behind();
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(there.count, offered_segments));
  return source_process != 0 && read_memory(source_process, {there.addresses, count}, list_);
}

void source_port::claim(std::uint32_t slot) const {
  if (past_caches())
    return; // what is fetched would only have to leave again
  const std::byte* at = slot_at(slot);
  const std::byte* end = at + std::min<std::size_t>(claimed_bytes, stride());
  for (; at < end; at += cache_line)
    prefetch_for_write(at);
}

} // namespace tacit::runtime
