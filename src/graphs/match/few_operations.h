// Races of a rank with few operations: which of them local dependencies order is known exactly, and the others are compared one
// by one. Private to the search for races.
#pragma once

#include "graphs/graph/known_lists.h"
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
  /// some may, or if there is so much to compare that a sweep is cheaper. Ranks mostly do the same, so what has been compared is known
  /// for those that come later.
  bool are_apart(std::span<const op_id> mine);

private:
  /// What an operation reads or writes, ascending. A receive may write less.
  struct ordered_list {
    std::span<const segment> pieces;
    bool stays = false; ///< where it lies there is never another list
  };
  struct lists {
    ordered_list reads, writes;
  };
  bool all_in_a_row();
  void look_ahead(std::uint32_t i) const;
  bool put_in_order(std::uint32_t local);
  bool put_in_order(ordered_list& list, std::vector<segment>& copy);
  bool sort_into(std::vector<segment>& copy, ordered_list& list);
  bool are_apart(const ordered_list& a, const ordered_list& b, std::size_t& left);

  const graph& g_;
  const places_by_rank& by_rank_;
  const dependency_rows& before_;
  std::span<const op_id> mine_;
  std::vector<std::uint64_t> ordered_; ///< which come before it
  std::vector<lists> lists_;
  /// Of a list that the graph keeps once. What is not in order is sorted for good when it comes for the second time.
  struct known_list {
    enum class state : std::uint8_t { fresh, in_order, unordered, sorted, overlapping } is = state::fresh;
    std::vector<segment> sorted;
  };
  known_lists<known_list> known_;
  /// Other lists in order, reads and writes by place in the rank's list.
  std::vector<std::vector<segment>> sorted_;
  /// Pairs of lists in order that have been compared, by where they lie; each pushes another one out.
  struct compared_pair {
    const segment *a = nullptr, *b = nullptr;
    bool apart = false;
  };
  std::vector<compared_pair> compared_;
  patience_sorter<segment> sorter_;
};

} // namespace tacit::graphs
