// Observes forwarding: does a send read bytes that an earlier receive wrote, at the same addresses and still
// unchanged?
//
// Problem (SEMANTICS 6): local computation between a receive and a send cannot be seen, so a send that covers
// received bytes is evidence of forwarding only if those very bytes are unchanged. Whole messages would be
// easy (compare two hashes), but programs also forward parts of messages, and regroup parts of several (HPL's
// "long" broadcast).
//
// Idea: keep a table of the newest received bytes: an interval map from addresses to (receive, packed
// offset), the newest receive winning where they overlap, and for each receive the hashes of its bytes in
// small blocks. A send looks up its address range; each block it touches is hashed again, and where the hash
// agrees the bytes were forwarded. A block is hashed whole although a send may want part of it, because the
// hash of a part is not known; so a block lies in one run of memory of one allocation, and in memory that can
// vanish unnoticed (no heap block of its own) it is looked at only if the send covers all of it. Allocation
// ids version the memory: freed and allocated anew is not the same place.
//
// Most buffers that receive are never sent from, and hashing what comes there buys nothing. So the table counts
// how often the very same bytes were received without any send that touched them in between; from
// `idle_receives` on only one receive in as many is worth its hash, until a send does touch them. The first
// such send is not seen to forward.
//
// Bounded: at most `max_receives` receives and `max_intervals` intervals are kept, the oldest go first. What
// is forgotten is not reported; nothing is ever reported that was not seen. Cost: each received byte is
// hashed at most once, each sent byte at most once, plus O(log intervals) per run.
#pragma once

#include "interpose/recorder/content.h"

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace tacit::interpose {

/// Some bytes of a send seen to be bytes of an earlier receive.
struct forwarded_part {
  std::uint64_t receive = 0; ///< ordinal of its completion record
  std::uint64_t receive_offset = 0;
  std::uint64_t send_offset = 0;
  std::uint64_t length = 0;
  bool constant = false; ///< all bytes are equal (an untouched or cleared buffer): weak evidence
};

/// A run of memory inside one allocation.
struct owned_run {
  memory_run run;
  std::uint32_t allocation = 0;
  bool stable = false; ///< the allocation is followed, so its bytes can be read while its id is current
};

class received_table {
public:
  static constexpr std::size_t max_receives = 4096;
  static constexpr std::size_t max_intervals = 32768;
  static constexpr std::size_t max_runs_of_receive = 4096; ///< a receive with more runs is not to be given
  static constexpr std::uint32_t idle_receives = 16;

  /// Whether what is received into these runs is likely enough to be sent on.
  bool is_worth_hashing(std::span<const owned_run> runs) const;
  /// Receive `ordinal` has just written these runs (in packing order), whose bytes are hashed; `blocks` are the hashes of the
  /// message's blocks (content.h), which need not be computed again if it lies in one run.
  void received(std::uint64_t ordinal, std::span<const owned_run> runs,
                std::span<const std::uint64_t> blocks = {});
  /// The same of a receive whose bytes are not looked at.
  void received_unseen(std::uint64_t ordinal, std::span<const owned_run> runs);
  /// Something wrote in these bytes that is not worth keeping.
  void overwritten(memory_run bytes) { claim(bytes.address, bytes.address + bytes.length, {}); }
  /// Whether anything in these bytes was received.
  bool touches(memory_run bytes) const;
  /// What of these runs (a send, in packing order) was received and is unchanged; joined where possible. `blocks` as above.
  std::vector<forwarded_part> forwarded(std::span<const owned_run> runs,
                                        std::span<const std::uint64_t> blocks = {});
  bool empty() const { return intervals_.empty(); }
  std::size_t intervals() const { return intervals_.size(); }

private:
  struct kept_run {
    owned_run where;
    std::uint64_t packed = 0;      ///< offset in the message
    std::uint64_t block_bytes = 0; ///< of all blocks but the last
    std::size_t first_hash = 0;
  };
  struct receive {
    std::vector<kept_run> runs;
    std::vector<std::uint64_t> hashes; ///< none if its bytes were not looked at
  };
  /// Bytes [key, end) were last written by run `run` of receive `ordinal`.
  struct interval {
    std::uint64_t end = 0;
    std::uint64_t ordinal = 0;
    std::uint32_t run = 0;
    std::uint32_t idle = 0; ///< receives of these bytes, one after the other, that no send touched
    bool touched = false;   ///< by a send
  };
  using interval_map = std::map<std::uint64_t, interval>;

  interval_map::iterator first_in(memory_run bytes);
  std::uint32_t idle_before(const memory_run& run) const;
  receive& renew(std::uint64_t ordinal, std::span<const owned_run> runs);
  void claim_runs(std::uint64_t ordinal, const receive& kept);
  void claim(std::uint64_t begin, std::uint64_t end, interval owner);
  void forget_oldest();
  void compare(const owned_run& sent, std::uint64_t begin, std::uint64_t end, std::uint64_t send_offset,
               const interval& owner, std::span<const std::uint64_t> blocks,
               std::vector<forwarded_part>& parts) const;

  interval_map intervals_;
  std::unordered_map<std::uint64_t, receive> receives_;
  std::deque<std::uint64_t> order_; ///< ordinals, oldest first; some are no more in the map
};

} // namespace tacit::interpose
