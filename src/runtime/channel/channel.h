// Channels in real memory: the ports of protocol.h, on memory that is handed in from outside. Who provides it
// (shared_memory.h between processes, anything between threads) is no business of a channel.
//
// Memory of a channel, at the destination, zero before first use and aligned to cache lines: `slots` times
// `stride` bytes of slots; one cache line for the acknowledgement; of a direct or placed one also one line
// each for the answer and the offer (which say "ready" and "placed" if it is placed), and the addresses that
// are offered.
#pragma once

#include "graphs/graph/graph.h"
#include "runtime/channel/protocol.h"
#include "runtime/channel/strided_memory.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::runtime {

inline constexpr std::size_t cache_line = 64;

/// Larger pieces are written past the caches (copy_past_caches.h) if the cores share none. On the virtual
/// cores of an AMD EPYC that makes an exchange of 1100 B take 0.73 of its time if they share no cache
/// (median), of 2 KiB 0.67, of 4 KiB 0.47 (and 2.1 if they do share one), of 8 KiB 0.42 (1.3), of 64 KiB 0.3
/// (1).
inline constexpr std::uint64_t most_cached = 1024;

/// Messages that are placed rather than copied twice, between cores that share a cache and others (AMD EPYC;
/// buffers rewritten and read in each exchange): sharing one 64 KiB takes 1.4 times as long, 256 KiB the
/// same, 1 MiB 0.3 of the time; others 8 KiB 2.8 times as long, 64 KiB 0.64.
inline constexpr std::uint64_t least_placed_near = 512 * 1024, least_placed_far = 32 * 1024;

/// Mean length of the pieces, of either side's memory, from which that holds; shorter ones are faster
/// gathered in slots: 1 MiB in pieces of 64 B takes 0.6 of the time (sharing a cache), of 8 B 3.3 times as
/// long.
inline constexpr std::uint64_t least_placed_piece = 64;

/// Addresses that fit into an offer; a source with more pieces of memory copies.
inline constexpr std::size_t offered_segments = 63;

/// Where the parts of a direct channel's memory lie behind its slots.
struct direct_memory {
  alignas(cache_line) std::uint64_t acknowledgement;
  alignas(cache_line) std::uint64_t answer;
  alignas(cache_line) std::uint64_t offer;
  std::uint64_t count; ///< of addresses
  graphs::segment addresses[offered_segments];
};

/// What both ports share: the channel's memory and the user's.
class channel_port {
public:
  /// `memory`: as described above. `payload`: user memory in packing order.
  channel_port(const channel_shape& shape, std::byte* memory, std::vector<graphs::segment> payload);
  /// Between runs: all user memory lies `by` bytes further.
  void move(std::ptrdiff_t by);
  /// Between runs: the user memory of another port, of as many bytes.
  void use_payload_of(channel_port&& other);

protected:
  std::uint32_t stride() const { return stride_; }
  std::byte* slot_at(std::uint32_t slot) const { return slots_ + std::size_t{slot} * stride_; }
  std::atomic_ref<std::uint64_t> flag(std::uint32_t slot) const {
    return std::atomic_ref(
        *reinterpret_cast<std::uint64_t*>(slot_at(slot) + stride_ - sizeof(std::uint64_t)));
  }
  std::atomic_ref<std::uint64_t> acknowledgement() const { return std::atomic_ref(behind_->acknowledgement); }
  /// Only its acknowledgement is there if the channel is neither direct nor placed.
  direct_memory& behind() const { return *behind_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t piece_bytes() const { return piece_bytes_; }
  /// Where a piece begins in the message, and how long it is.
  std::uint64_t start_of(std::uint32_t piece) const { return piece * piece_bytes_; }
  std::uint64_t length_of(std::uint32_t piece) const {
    return std::min(piece_bytes_, bytes_ - start_of(piece));
  }

  strided_memory user_;
  std::vector<graphs::segment> list_; ///< the same; of direct and placed channels only

private:
  std::byte* slots_;
  direct_memory* behind_;
  std::uint64_t piece_bytes_, bytes_;
  std::uint32_t stride_;
};

class source_port : public channel_port {
public:
  using channel_port::channel_port;
  std::uint64_t acknowledged() const { return acknowledgement().load(std::memory_order_acquire); }
  void fill(std::uint32_t slot, std::uint32_t piece);
  void publish(std::uint32_t slot, std::uint64_t number) const {
    flag(slot).store(number, std::memory_order_release);
  }
  void claim(std::uint32_t slot) const;
  bool offer(std::uint64_t message) const;
  std::uint64_t answered() const { return std::atomic_ref(behind().answer).load(std::memory_order_acquire); }

  bool places() const {
    return bytes() >= (far ? least_placed_far : least_placed_near) &&
           bytes() >= least_placed_piece * std::max(list_.size(), targets.size());
  }
  std::uint64_t ready() const { return std::atomic_ref(behind().answer).load(std::memory_order_acquire); }
  void place() const;
  void publish_placed(std::uint64_t message) const {
    std::atomic_ref(behind().offer).store(message, std::memory_order_release);
  }

  /// The destination's core shares no cache with this one (shared_cache.h). May change between runs.
  bool far = false;
  /// Of a placed channel: this process's view of the memory that the destination receives in.
  std::vector<graphs::segment> targets;

private:
  bool past_caches() const { return far && piece_bytes() > most_cached; }
  void fill_past_caches(std::uint32_t slot, std::uint32_t piece);
};

class destination_port : public channel_port {
public:
  using channel_port::channel_port;
  std::uint64_t published(std::uint32_t slot) const { return flag(slot).load(std::memory_order_acquire); }
  void drain(std::uint32_t slot, std::uint32_t piece);
  void acknowledge(std::uint64_t number) const { acknowledgement().store(number, std::memory_order_release); }
  std::uint64_t offered() const { return std::atomic_ref(behind().offer).load(std::memory_order_acquire); }
  bool pull() const;
  void answer(std::uint64_t word) const {
    std::atomic_ref(behind().answer).store(word, std::memory_order_release);
  }

  void make_ready(std::uint64_t message) const {
    std::atomic_ref(behind().answer).store(message, std::memory_order_release);
  }
  std::uint64_t placed() const { return std::atomic_ref(behind().offer).load(std::memory_order_acquire); }

  /// The process whose memory is read, or 0: it may not be, every offer is refused.
  std::int64_t source_process = 0;
};

using source_channel = channel_source<source_port>;
using destination_channel = channel_destination<destination_port>;

/// Bytes of memory that a channel needs, a multiple of the cache line.
inline std::size_t channel_bytes(const channel_shape& shape) {
  return std::size_t{shape.slots} * shape.stride +
         (shape.direct || shape.placed ? sizeof(direct_memory) : cache_line);
}

} // namespace tacit::runtime
