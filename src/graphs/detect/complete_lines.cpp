#include "graphs/detect/complete_lines.h"

namespace tacit::graphs {

complete_lines::complete_lines(const group_view& view, pair_sorter& sorter) : view_(view) {
  count_pairs(sorter);
  find();
  each_pair(sorter, [&](std::uint32_t row, std::uint32_t column, std::span<const slice> pieces) {
    if (row != nowhere)
      rows_[row].add(pieces);
    if (column != nowhere)
      columns_[column].add(pieces);
  });
}

void complete_lines::count_pairs(pair_sorter& sorter) {
  if (view_.untouched())
    return;
  row_pairs_.assign(view_.size(), 0);
  column_pairs_.assign(view_.size(), 0);
  for (std::uint32_t j = 0; j < view_.size(); ++j)
    column_pairs_[j] = sorter.each_pair(j, [&](std::uint32_t i, auto) { ++row_pairs_[i]; });
}

void complete_lines::find() {
  const std::uint32_t others = view_.size() - 1;
  std::vector<std::uint32_t> rows, columns;
  for (std::uint32_t k = 0; k < view_.size(); ++k) {
    if (pairs_from(k) == others)
      rows.push_back(k);
    if (pairs_into(k) == others)
      columns.push_back(k);
  }
  row_at_ = position_index(rows, view_.size());
  column_at_ = position_index(columns, view_.size());
  for (const std::uint32_t i : rows)
    rows_.push_back({.at = i});
  for (const std::uint32_t j : columns)
    columns_.push_back({.at = j});
}

} // namespace tacit::graphs
