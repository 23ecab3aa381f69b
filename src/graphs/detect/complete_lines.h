// The matrix of what is left between the members of a group: its complete rows (a rank sends to all others) and complete
// columns (a rank receives from all others), with the volumes of their pairs.
//
// Cost O(members) memory and two passes over the transfers; the view counts the pairs itself if it is plain.
#pragma once

#include "graphs/detect/ledger.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// A complete row or column.
struct line {
  std::uint32_t at;                           ///< position of its root
  bool pieces = false;                        ///< some pair has more than one
  std::uint64_t smallest = ~std::uint64_t{0}; ///< volume of a pair
  std::uint64_t largest = 0;
  void add(std::span<const slice> of_pair) {
    const std::uint64_t volume = of_pair.size() == 1 ? of_pair[0].length : total(of_pair);
    pieces |= of_pair.size() > 1;
    smallest = std::min(smallest, volume);
    largest = std::max(largest, volume);
  }
  /// One piece for each pair, all of one length: nothing to look for.
  bool even() const { return !pieces && smallest == largest; }
};

class complete_lines {
public:
  complete_lines(const group_view& view, pair_sorter& sorter);

  const std::vector<line>& rows() const { return rows_; }
  const std::vector<line>& columns() const { return columns_; }
  /// Index among the complete rows (columns) of a position, or nowhere.
  std::uint32_t row_at(std::uint32_t position) const { return row_at_(position); }
  std::uint32_t column_at(std::uint32_t position) const { return column_at_(position); }
  const position_index& rows_by_position() const { return row_at_; }

  /// Pairs with data in a row and in a column, complete or not.
  std::uint32_t pairs_from(std::uint32_t position) const {
    return row_pairs_.empty() ? view_.pairs_from(position) : row_pairs_[position];
  }
  std::uint32_t pairs_into(std::uint32_t position) const {
    return column_pairs_.empty() ? view_.pairs_into(position) : column_pairs_[position];
  }

  /// Calls visit(row, column, pieces) for each pair of a complete row or column; one of them may be
  /// `nowhere`.
  template <typename Visit>
  void each_pair(pair_sorter& sorter, Visit visit) const {
    for (std::uint32_t j = 0; j < view_.size(); ++j) {
      const std::uint32_t column = column_at_(j);
      if (column != nowhere)
        sorter.each_pair(
            j, [&](std::uint32_t i, std::span<const slice> pieces) { visit(row_at_(i), column, pieces); });
      else if (!rows_.empty())
        sorter.each_pair(j, row_at_, [&](std::uint32_t row, std::span<const slice> pieces) {
          visit(row, nowhere, pieces);
        });
    }
  }

private:
  void count_pairs(pair_sorter& sorter);
  void find();

  const group_view& view_;
  std::vector<std::uint32_t> row_pairs_, column_pairs_; ///< by position; empty if the view knows them
  std::vector<line> rows_, columns_;
  position_index row_at_, column_at_;
};

} // namespace tacit::graphs
