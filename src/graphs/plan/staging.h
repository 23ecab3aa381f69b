// Source bytes that a plan overwrites: each rank copies them to its scratch memory first (E3).
#pragma once

#include "graphs/plan/plan.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// Bytes that leave or enter one rank in one step.
using bytes = segment_list;

class staging {
public:
  /// Step 0 of each rank that overwrites sources becomes the copy. Cost O(transfers), and sorting at those ranks.
  staging(const graph& g, const transfers& t, const findings& f, std::vector<rank_plan>& ranks);
  /// Whether rank r has a copy to wait for.
  bool at(rank_id r) const { return !pieces_.empty() && !pieces_[index(r)].empty(); }
  /// Source bytes where they are found when the plan runs: staged ones in scratch.
  bytes from(rank_id r, bytes source) const { return at(r) ? in_scratch(r, source) : std::move(source); }

private:
  /// Where user bytes were copied to.
  struct piece {
    segment user;
    std::uint64_t scratch;
  };
  std::vector<bool> ranks_that_overwrite_sources() const;
  void stage_transfers();
  void stage_with_reductions(const findings& f);
  void stage(rank_id r, std::span<const segment> overwritten);
  bytes in_scratch(rank_id r, const bytes& source) const;

  const graph& g_;
  const transfers& t_;
  std::vector<rank_plan>& ranks_;
  std::uint64_t alignment_ = 1;            ///< of staged bytes, modulo which they lie as before
  std::vector<std::vector<piece>> pieces_; ///< sorted, by rank; empty if no rank has any
};

} // namespace tacit::graphs
