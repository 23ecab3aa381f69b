// Whether operations happen before another one, searched backwards from it. Private to the search for races.
//
// First along local dependencies, then along all edges (messages and fences too); once for all operations that are asked for,
// and never past the earliest of them in run order. Tables are made on first use.
#pragma once

#include "graphs/match/dependency_rows.h"
#include "graphs/match/fences.h"
#include "graphs/match/match.h"
#include "graphs/match/operations_by_rank.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

class backward_search {
public:
  backward_search(const graph& g, const matching& m, const std::vector<op_id>& order,
                  const fence_order& fences, const places_by_rank& by_rank, const dependency_rows& before)
      : g_(g), m_(m), order_(order), fences_(fences), by_rank_(by_rank), before_(before) {}

  /// True if all of `wanted`, different operations of one rank in run order, happen before `start`.
  bool finds_all(op_id start, std::span<const op_id> wanted);
  /// Whether the last search did not find this one of those wanted.
  bool missed(op_id op) const { return wanted_[index(op)] == query_; }

private:
  bool found(op_id op);
  std::size_t search_locally(op_id start, std::uint32_t earliest, std::size_t missing);
  std::size_t search_everywhere(op_id start, std::span<const op_id> wanted, std::size_t missing);
  template <typename Reach>
  void reach_over_fences(op_id op, Reach&& reach);

  const graph& g_;
  const matching& m_;
  const std::vector<op_id>& order_;
  const fence_order& fences_;
  const places_by_rank& by_rank_;
  const dependency_rows& before_;
  std::vector<std::uint32_t> wanted_, seen_, everywhere_, position_, group_seen_; ///< made on first use
  std::uint32_t query_ = 0, stamp_ = 0;
  std::vector<op_id> stack_;
};

} // namespace tacit::graphs
