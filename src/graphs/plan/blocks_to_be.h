// The blocks of a call while its plan is being made. Private to making plans.
//
// Blocks come by destination, so those that a rank sends come in turns with those of all others. The last row of each list is kept apart, as
// few numbers: nearly every block makes it longer, and the list itself need not be looked at.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/plan/block_list.h"
#include "vocabulary/base/huge_pages.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// Blocks that continue each other, the last ones of a list so far.
class row_of_blocks {
public:
  /// False if it is not one more of them.
  bool takes(rank_id peer, const segment& bytes) {
    if (count_ == 0 || !makes_row_longer(first_, count_, first_block_, peer, bytes))
      return false;
    ++count_;
    return true;
  }
  void begin(rank_id peer, const segment& bytes) {
    first_ = peer;
    count_ = 1;
    first_block_ = bytes;
  }
  bool empty() const { return count_ == 0; }
  block_run take() { return {first_, std::exchange(count_, 0), {first_block_}}; }

private:
  segment first_block_;
  rank_id first_ = no_rank;
  std::uint32_t count_ = 0;
};

/// The blocks that one rank sends, or gets, before its call is made.
class blocks_to_be {
public:
  /// Whether the block begins a run.
  bool add(rank_id peer, const segment& bytes) {
    total_ += bytes.length;
    if (last_.takes(peer, bytes))
      return false;
    end_row();
    last_.begin(peer, bytes);
    return true;
  }
  bool add(rank_id peer, segment_list bytes) {
    if (bytes.size() == 1)
      return add(peer, bytes.front());
    end_row();
    total_ += total_length(bytes);
    list_.push_back(peer, std::move(bytes));
    return true;
  }
  /// Of several runs, before there is any.
  std::span<block_run> make_room(std::uint32_t runs) {
    list_.reserve(runs);
    return list_.runs();
  }
  /// Where the next run is going to be.
  const void* runs_end() const { return list_.runs_end(); }
  std::uint64_t total() const { return total_; }
  block_list take() {
    end_row();
    return std::move(list_);
  }

private:
  void end_row() {
    if (!last_.empty())
      list_.push_back_run(last_.take());
  }
  block_list list_; ///< without the last row
  row_of_blocks last_;
  std::uint64_t total_ = 0;
};

struct blocks_of_rank {
  blocks_to_be sent, got;
};

/// How many runs the blocks that one rank sends, or gets, are going to be.
class runs_to_be {
public:
  void add(rank_id peer, const segment& bytes) {
    if (last_.takes(peer, bytes))
      return;
    last_.begin(peer, bytes);
    ++count_;
  }
  std::uint32_t count() const { return count_; }

private:
  row_of_blocks last_;
  std::uint32_t count_ = 0;
};

/// Room in the list of each rank that has several runs.
inline void give_room(std::vector<blocks_of_rank>& blocks, blocks_to_be blocks_of_rank::* side,
                      std::span<const runs_to_be> runs) {
  vocabulary::arrays_side_by_side all;
  for (std::size_t r = 0; r < blocks.size(); ++r)
    if (const std::uint32_t count = runs[r].count(); count > 1) {
      const std::span<block_run> room = (blocks[r].*side).make_room(count);
      all.add(room, count);
    }
  all.move_to_huge_pages();
}

} // namespace tacit::graphs
