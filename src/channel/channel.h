// Channels in real memory: the ports of protocol.h, on memory that is handed in from outside. Who provides it
// (shared_memory.h between processes, anything between threads) is no business of a channel.
//
// Memory of a channel: `slots` times `stride` bytes of slots, at the destination, and one cache line for the
// acknowledgement; both zero before first use and aligned to cache lines.
#pragma once

#include "channel/protocol.h"
#include "graph/graph.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit {

inline constexpr std::size_t cache_line = 64;

/// What both ports share: the channel's memory and the user's. `payload` is user memory in packing order; it
/// may be changed between runs, but not its lengths.
class channel_port {
public:
  channel_port(const channel_shape& shape, std::byte* slots, std::uint64_t* acknowledgement,
               std::vector<segment> payload_);

  std::vector<segment> payload;

protected:
  std::uint32_t stride() const { return stride_; }
  std::byte* slot_at(std::uint32_t slot) const { return slots_ + std::size_t{slot} * stride_; }
  std::atomic_ref<std::uint64_t> flag(std::uint32_t slot) const {
    return std::atomic_ref(
        *reinterpret_cast<std::uint64_t*>(slot_at(slot) + stride_ - sizeof(std::uint64_t)));
  }
  std::atomic_ref<std::uint64_t> acknowledgement() const { return std::atomic_ref(*acknowledgement_); }
  /// Calls `move(slot's memory, user memory, bytes)` for every part of a piece.
  template <typename Move>
  void each_part(std::uint32_t slot, std::uint32_t piece, Move&& move);

private:
  std::byte* slots_;
  std::uint64_t* acknowledgement_;
  std::uint64_t piece_bytes_, bytes_;
  std::uint32_t stride_;
  std::size_t segment_ = 0; ///< where the next piece starts, in `payload`
  std::uint64_t done_ = 0;  ///< bytes of it that belong to earlier pieces
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
};

class destination_port : public channel_port {
public:
  using channel_port::channel_port;
  std::uint64_t published(std::uint32_t slot) const { return flag(slot).load(std::memory_order_acquire); }
  void drain(std::uint32_t slot, std::uint32_t piece);
  void acknowledge(std::uint64_t number) const { acknowledgement().store(number, std::memory_order_release); }
};

using source_channel = channel_source<source_port>;
using destination_channel = channel_destination<destination_port>;

/// Bytes of slots that a channel needs, a multiple of the cache line.
inline std::size_t slot_bytes(const channel_shape& shape) {
  return std::size_t{shape.slots} * shape.stride;
}

} // namespace tacit
