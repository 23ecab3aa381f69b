// Parts of shared memory, lent to one set of channels after the other.
//
// Problem: to make shared memory, map and fill its pages, open it in the peers and give all that back takes
// some 30 us per operation, as long as everything else that an _init does.
//
// Idea: a process keeps the regions that it has made, and those of its peers that it has opened, and lends
// parts of them. A part may be lent again when nobody looks at it any more: its owner has given it back, and
// so have all peers to which it was shown. Peers tell the owner in a message that they send it anyway, at
// their next meeting (shm/peers.h), so nobody waits for this; the part of a peer that never meets the owner
// again stays lent. Parts have sizes that are powers of two, with a list of free parts for each (Knowlton's
// buddies without joining: operations repeat their sizes); regions grow by doubling, so n operations make
// O(log n) regions and a part costs O(1). What is longer than `longest_pooled` has a region of its own, which
// is given back with it.
//
// All functions are local and thread-safe. A forked child starts with nothing.
#pragma once

#include "runtime/channel/shared_memory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tacit::runtime {

inline constexpr std::size_t longest_pooled = std::size_t{1} << 20;

/// What a peer needs to open a part. Plain data.
struct part_address {
  region_address region;
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t number = 0; ///< of its loan, to be told when it is given back; 0: nobody wants to know
};

/// Memory of this process for itself and peers, zero at first, aligned to its size or a page, whichever is
/// less. Movable; gives itself back.
class lent_part {
public:
  lent_part() = default;
  lent_part(lent_part&& other) noexcept { swap(other); }
  lent_part& operator=(lent_part&& other) noexcept {
    swap(other);
    return *this;
  }
  ~lent_part();

  /// Takes memory from the pool. Returns empty, or why there is none.
  std::string take(std::size_t bytes);
  /// What to tell a peer; it must be told to each peer once, and counts as shown to it.
  part_address show();
  /// All peers have opened what they were shown.
  void all_have_opened();

  std::byte* at(std::size_t offset) const { return region_->at(offset_ + offset); }
  explicit operator bool() const { return region_ != nullptr; }

private:
  void swap(lent_part& other) noexcept;

  std::shared_ptr<shared_region> region_;
  std::uint64_t offset_ = 0, bytes_ = 0, number_ = 0;
};

/// Memory that a peer has shown to this process. Movable; gives itself back, also if it was never opened.
class shown_part {
public:
  shown_part() = default;
  shown_part(const process_identity& owner, const part_address& where) : owner_(owner), where_(where) {}
  shown_part(shown_part&& other) noexcept { swap(other); }
  shown_part& operator=(shown_part&& other) noexcept {
    swap(other);
    return *this;
  }
  ~shown_part();

  /// Returns empty, or why it cannot be opened.
  std::string open();

  std::byte* at(std::size_t offset) const { return region_->at(where_.offset + offset); }

private:
  void swap(shown_part& other) noexcept;

  process_identity owner_;
  part_address where_;
  std::shared_ptr<shared_region> region_;
};

/// Numbers of the loans of that process which this one has given back and not yet told it.
std::vector<std::uint64_t> loans_to_return(const process_identity& owner);
/// A peer has given these back.
void take_back(const std::vector<std::uint64_t>& loans);

} // namespace tacit::runtime
