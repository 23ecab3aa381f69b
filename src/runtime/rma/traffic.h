// Messages as MPI_Put into a window of the receiver: what is written when, and why the receiver may read it.
//
// Problem. A message is payload and flag. MPI orders no two puts, not even of one origin to one target
// (MPI-4.1 section 12.7.2 orders only accumulates to the same location), so the flag must not start before
// the payload has arrived. And both sides look at memory that the other one changes.
//
// Idea. The protocol is that of channels in shared memory (channel/protocol.h): numbered pieces, slots at the
// destination, a slot is overwritten only when it has been consumed. Everything lies in one passive-target
// epoch (MPI_Win_lock_all) that lasts as long as the window. In each round of progress all payloads that can
// go are put, then flushed (MPI_Win_flush: complete at the target, 12.5.4), then all flags and
// acknowledgements follow as MPI_Accumulate with MPI_REPLACE, and are flushed in their turn, since without a
// flush an implementation may keep them for ever. So a round costs two flushes per peer, however many
// messages it has.
//
// What MPI's memory models (12.4) allow here. In both, no rank stores into its own part of the window after
// it has been made, so there are no local updates that a put could destroy; a slot is read by its owner only
// between its flag and its acknowledgement, when no update to it is under way.
//   unified   (12.7, rules U) a location that is the target of an update under way may be polled by loads for
//             a particular value; neither atomicity of more than one byte nor order against other locations
//             is promised, nor a comparison of magnitudes. So a flag is only ever compared for equality with
//             the one value that it is to get next, and it gets no other until that has been seen: bytes of
//             the old and the new value together are the new value only when all that differ are new. An
//             acknowledgement therefore is a word per slot, not a counter per channel. Once the value is
//             there, MPI_Win_sync makes the payload, complete at the target by the flush before the flag,
//             visible in the private copy. The load is an atomic one only for the compiler.
//   separate  (rules S) a location with an update under way must not be loaded. Flags and acknowledgements
//             are fetched by MPI_Fetch_and_op with MPI_NO_OP from the rank's own part, which is atomic
//             against MPI_REPLACE (12.7.1); then MPI_Win_sync as above.
// MPI_Win_sync also stands between the reading of slots and their acknowledgement.
//
// Progress. MPI_Win_flush may wait until the target process calls MPI, where the network cannot put by
// itself; there is no nonblocking flush. So a start may take until the neighbors call MPI, as a synchronous
// send would. It cannot deadlock: whoever is in a flush serves the others, and whoever waits for a flag calls
// MPI in every round. This is why the driver is taken only by name.
#pragma once

#include "graphs/graph/segment_list.h"
#include "runtime/channel/channel.h"
#include "runtime/rma/peers.h"

#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace tacit::runtime {

class rma_traffic {
public:
  explicit rma_traffic(const rma_peers& peers) : peers_(peers) {}
  rma_traffic(const rma_traffic&) = delete;
  rma_traffic& operator=(const rma_traffic&) = delete;

  /// Puts memory into a peer's part; it must not change before the next `flush`.
  void put(const std::byte* from, std::uint64_t bytes, int peer, MPI_Aint into);
  /// A flag or an acknowledgement; travels in the next `flush`, after all payload so far.
  void mark(std::uint64_t value, int peer, MPI_Aint into);
  /// Sends everything on its way. May wait for the targets' MPI, not for their programs.
  void flush();
  /// A word of this rank's part that peers mark.
  std::uint64_t read(MPI_Aint at) const;
  /// After `read` has found what was expected: makes the memory that was put before it visible.
  void sync() const;
  std::byte* own(MPI_Aint at) const { return peers_.memory() + at; }

private:
  struct marked {
    std::uint64_t value;
    int peer;
    MPI_Aint into;
  };
  void flush_targets();

  const rma_peers& peers_;
  std::deque<marked> marks_; ///< addresses stay: MPI reads the values until they are flushed
  std::vector<int> targets_; ///< with something not yet flushed; may repeat
};

/// Source of a message. Packs it into memory of its own, which MPI may read until the slot is used again; so
/// the user's memory is free as soon as the message is under way, and MPI sees contiguous bytes only.
class rma_source_port {
public:
  rma_source_port(const message_location& location, std::vector<graphs::segment> bytes, rma_traffic& traffic);
  std::uint64_t acknowledged();
  void fill(std::uint32_t slot, std::uint32_t piece);
  void publish(std::uint32_t slot, std::uint64_t number);
  void move(std::ptrdiff_t by) { packing_.move(by); }

  static void shift(graphs::segment_list& bytes, std::ptrdiff_t by) {
    for (graphs::segment& s : bytes)
      s.address += static_cast<std::uint64_t>(by);
  }

private:
  message_location location_;
  rma_traffic* traffic_;
  std::shared_ptr<std::byte[]> staging_; ///< shared, because ports are copied
  source_port packing_;
  std::uint64_t published_ = 0;
};

class rma_destination_port {
public:
  rma_destination_port(const message_location& location, std::vector<graphs::segment> bytes,
                       rma_traffic& traffic);
  std::uint64_t published(std::uint32_t slot) const;
  void drain(std::uint32_t slot, std::uint32_t piece);
  void acknowledge(std::uint64_t number) const;
  void move(std::ptrdiff_t by) { unpacking_.move(by); }

private:
  message_location location_;
  rma_traffic* traffic_;
  destination_port unpacking_;
};

using rma_source = channel_source<rma_source_port>;
using rma_destination = channel_destination<rma_destination_port>;

rma_source make_rma_source(const message_location& location, std::span<const graphs::segment> bytes,
                           rma_traffic& traffic);
/// `bytes` may be longer than the message.
rma_destination make_rma_destination(const message_location& location, std::span<const graphs::segment> bytes,
                                     rma_traffic& traffic);

} // namespace tacit::runtime
