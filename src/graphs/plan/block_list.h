// The blocks of a collective step.
//
// Ranks that exchange blocks mostly have them side by side in memory, in the order of ranks. Kept one by one, an alltoall among 2,048 ranks has
// 8 million; so those that continue each other, by rank and by address, are kept as one run: two for each rank and direction, as its own
// block is no block of the call. Who reads a list need not know: it visits blocks. A run costs as much memory as a block that is alone.
#pragma once

#include "graphs/graph/run_iterator.h"
#include "graphs/graph/segment_list.h"
#include "vocabulary/base/ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tacit::graphs {

/// The bytes of one block, as long as its list exists.
class block_bytes {
public:
  explicit block_bytes(const segment& only) : only_(only), count_(1) {}
  explicit block_bytes(std::span<const segment> list) : many_(list.data()), count_(list.size()) {}

  const segment* begin() const { return many_ ? many_ : &only_; }
  const segment* end() const { return begin() + count_; }
  const segment* data() const { return begin(); }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const segment& front() const { return *begin(); }
  friend bool operator==(const block_bytes& a, const block_bytes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  segment only_{};
  const segment* many_ = nullptr; ///< null: it is `only_`
  std::size_t count_ = 0;
};

/// One block of a collective step: the bytes exchanged with one member of the group. The block that a
/// broadcast's root or a member of an allgather sends to everybody has peer no_rank, and so has what a rank gives
/// to a reduction, and gets from it: but to a reduce-scatter it gives a block for each member, itself included. The first member of
/// a scan gets nothing, and the last one gives nothing to an exclusive one. There is never another block
/// for the rank itself (E2: self blocks are not copied), and a vector collective leaves empty blocks out.
struct block {
  rank_id peer; ///< the other side, as graph rank
  block_bytes bytes;
  friend bool operator==(const block&, const block&) = default;
};

/// Blocks for the ranks `peer`, `peer` + 1, … of the same length, each of which begins in memory where the one before ends.
struct block_run {
  rank_id peer = no_rank;
  std::uint32_t count = 1; ///< 1 unless a block is exactly one piece of memory
  segment_list bytes;      ///< of the first one

  /// The block for rank `peer` + i.
  block at(std::uint32_t i) const {
    if (count == 1)
      return {peer, block_bytes(std::span<const segment>(bytes))};
    const segment& first = bytes.front();
    return {rank_id{static_cast<std::uint32_t>(index(peer)) + i},
            block_bytes(segment{first.address + i * first.length, first.length})};
  }
  /// All that the blocks consist of, in pieces that need not be those of single blocks.
  block_bytes all_bytes() const {
    if (count == 1)
      return block_bytes(std::span<const segment>(bytes));
    return block_bytes(segment{bytes.front().address, count * bytes.front().length});
  }
};
static_assert(sizeof(block_run) == 32); // as much as a block that is alone

/// Whether a block of one piece for `peer` is the next one of a row of `count`, the first of which is `first_block` for `first`.
inline bool makes_row_longer(rank_id first, std::uint32_t count, const segment& first_block, rank_id peer,
                             const segment& next) {
  return peer != no_rank && first != no_rank && index(peer) == index(first) + count && next.length > 0 &&
         next.length == first_block.length && next.address == first_block.address + count * next.length;
}

/// The block of the run for `peer`, if there is one.
inline std::optional<block> find_in_run(const block_run& run, rank_id peer) {
  // A block for everybody is not one of a row, whose last rank is less.
  const std::size_t i = index(peer) - index(run.peer);
  return i < run.count ? std::optional(run.at(static_cast<std::uint32_t>(i))) : std::nullopt;
}

/// As find_block, of lists that are too long to look at each run first.
std::optional<block> find_block_of_many(std::span<const block_run> runs, rank_id peer, std::size_t about);

/// See `block_list::find`.
inline std::optional<block> find_block(std::span<const block_run> runs, rank_id peer, std::size_t about) {
  constexpr std::size_t few = 4;
  if (runs.size() > few)
    return find_block_of_many(runs, peer, about);
  for (const block_run& run : runs)
    if (std::optional<block> found = find_in_run(run, peer))
      return found;
  return std::nullopt;
}

class block_list {
public:
  using iterator = run_iterator<block_run, block>;
  using const_iterator = iterator;
  using value_type = block;

  iterator begin() const { return iterator(runs_.begin()); }
  iterator end() const { return iterator(runs_.end()); }
  bool empty() const { return runs_.empty(); }
  /// Costs O(runs).
  std::size_t size() const {
    std::size_t sum = 0;
    for (const block_run& r : runs_)
      sum += r.count;
    return sum;
  }
  block front() const { return runs_.front().at(0); }
  friend bool operator==(const block_list& a, const block_list& b) { return std::ranges::equal(a, b); }
  /// Whether their ranks ascend.
  bool are_in_order() const {
    return std::ranges::adjacent_find(runs_, [](const block_run& a, const block_run& b) {
             return b.peer <= a.peer || index(b.peer) - index(a.peer) < a.count;
           }) == runs_.end();
  }
  /// The block for `peer`, if there is one. `about`: how many blocks are before it, or one more or less, if each is a run of its own; looking
  /// elsewhere costs O(log runs) if they are in the order of ranks, else, or if there is none, O(runs).
  std::optional<block> find(rank_id peer, std::size_t about) const { return find_block(runs(), peer, about); }

  void push_back(rank_id peer, segment_list bytes) {
    if (bytes.size() == 1)
      push_back(peer, bytes.front());
    else
      runs_.push_back({peer, 1, std::move(bytes)});
  }
  void push_back(rank_id peer, const segment& only) {
    if (!runs_.empty() && runs_.back().bytes.size() == 1 &&
        makes_row_longer(runs_.back().peer, runs_.back().count, runs_.back().bytes.front(), peer, only))
      ++runs_.back().count;
    else
      runs_.push_back({peer, 1, {only}});
  }
  void reserve(std::size_t runs) { runs_.reserve(runs); }
  /// Where the next run is going to be, as far as there is room for it.
  const void* runs_end() const { return runs_.end(); }
  /// As another list had it.
  void push_back_run(block_run run) { runs_.push_back(std::move(run)); }
  void clear() { runs_.clear(); }

  std::span<const block_run> runs() const { return {runs_.begin(), runs_.size()}; }
  /// To move what they name elsewhere, each run as a whole.
  std::span<block_run> runs() { return {runs_.begin(), runs_.size()}; }

private:
  one_in_place<block_run> runs_;
};

} // namespace tacit::graphs
