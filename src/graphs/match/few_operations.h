// Races of a rank with few operations: which of them local dependencies order is known exactly, and the others are compared one
// by one. Private to the search for races.
#pragma once

#include "graphs/graph/patience_sort.h"
#include "graphs/graph/segments.h"
#include "graphs/match/dependency_rows.h"
#include "graphs/match/operations_by_rank.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

class few_operations {
public:
  /// As many operations have room for a bit each in one word.
  static constexpr std::size_t most = 64;

  few_operations(const graph& g, const places_by_rank& by_rank, const dependency_rows& before)
      : g_(g), by_rank_(by_rank), before_(before) {}

  /// True if no two of these operations of a rank, at most `most`, touch the same bytes without an order. False if
  /// some may, or if there is so much to compare that a sweep is cheaper.
  bool are_apart(std::span<const op_id> mine);

private:
  /// What an operation reads and writes, both ascending. A receive may write less.
  struct lists {
    std::span<const segment> reads, writes;
  };
  bool all_in_a_row();
  void look_ahead(std::uint32_t i) const;
  bool put_in_order(std::uint32_t local);

  const graph& g_;
  const places_by_rank& by_rank_;
  const dependency_rows& before_;
  std::span<const op_id> mine_;
  std::vector<std::uint64_t> ordered_; ///< which come before it
  std::vector<lists> lists_;
  struct sorted_list {
    std::span<const segment> of; ///< what the graph says
    std::vector<segment> sorted;
  };
  /// Of those that are not in order, reads and writes by place in the rank's list; of the ranks before, too.
  std::vector<sorted_list> sorted_;
  patience_sorter<segment> sorter_;
};

} // namespace tacit::graphs
