#include "graphs/detect/line_packing.h"

#include "graphs/detect/uniform.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {
namespace {

// Both packings are computed while their cost stays below that of a few passes over a million transfers.
constexpr double cheap_packing = 1 << 24;

/// The common piece lengths of the complete rows and columns.
struct line_lengths {
  std::vector<common_lengths> rows, columns;
  /// Bytes of those scatters and gathers that need no cut.
  std::uint64_t whole_bytes(const packing& p) const {
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (sum_of(fitting(rows[k], p.rows[k])) == p.rows[k])
        bytes += p.rows[k];
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (sum_of(fitting(columns[k], p.columns[k])) == p.columns[k])
        bytes += p.columns[k];
    return bytes;
  }
};

class line_packer {
public:
  line_packer(const group_search& search, const complete_lines& lines, pair_sorter& sorter)
      : s_(search), lines_(lines), sorter_(sorter) {}

  packing run() {
    packing_problem problem;
    for (const line& row : lines_.rows())
      problem.row_limit.push_back(row.smallest);
    for (const line& column : lines_.columns())
      problem.column_limit.push_back(column.smallest);
    return best_packing(problem);
  }

private:
  packing best_packing(packing_problem& problem) {
    if (lines_.rows().empty() || lines_.columns().empty())
      return pack(problem, true);
    const double by_rows = packing_cost(lines_.rows().size(), lines_.columns().size(), true);
    const double by_columns = packing_cost(lines_.rows().size(), lines_.columns().size(), false);
    if (std::min(by_rows, by_columns) > static_cast<double>(s_.options.budget))
      return one_side(problem);
    fill_pairs(problem);
    if (by_rows + by_columns > cheap_packing)
      return pack(problem, by_rows <= by_columns);
    packing large_rows = pack(problem, true), large_columns = pack(problem, false);
    const line_lengths lengths = common_of_lines();
    return lengths.whole_bytes(large_columns) > lengths.whole_bytes(large_rows) ? large_columns : large_rows;
  }

  line_lengths common_of_lines() {
    line_lengths common{std::vector<common_lengths>(lines_.rows().size()),
                        std::vector<common_lengths>(lines_.columns().size())};
    lines_.each_pair(sorter_, [&](std::uint32_t row, std::uint32_t column, std::span<const slice> pieces) {
      if (row != nowhere)
        common.rows[row].add_pieces(pieces);
      if (column != nowhere)
        common.columns[column].add_pieces(pieces);
    });
    return common;
  }

  packing one_side(const packing_problem& problem) {
    packing only{problem.row_limit, problem.column_limit};
    double rows = 0, columns = 0;
    for (const std::uint64_t x : only.rows)
      rows += static_cast<double>(x);
    for (const std::uint64_t y : only.columns)
      columns += static_cast<double>(y);
    auto& dropped = rows >= columns ? only.columns : only.rows;
    std::fill(dropped.begin(), dropped.end(), 0);
    s_.refuse(rows >= columns ? pattern::gather : pattern::scatter, reason::not_searched,
              fmt::format("weighing {} scatters against {} gathers would take more than {} steps",
                          only.rows.size(), only.columns.size(), s_.options.budget));
    return only;
  }

  void fill_pairs(packing_problem& problem) {
    problem.both.assign(lines_.rows().size() * lines_.columns().size(), packing_problem::free_pair);
    for (std::size_t c = 0; c < lines_.columns().size(); ++c)
      sorter_.each_pair(lines_.columns()[c].at, lines_.rows_by_position(),
                        [&](std::uint32_t row, std::span<const slice> pieces) {
                          problem.both[row * lines_.columns().size() + c] = total(pieces);
                        });
  }

  const group_search& s_;
  const complete_lines& lines_;
  pair_sorter& sorter_;
};

} // namespace

packing pack_lines(const group_search& search, const complete_lines& lines, pair_sorter& sorter) {
  return line_packer(search, lines, sorter).run();
}

} // namespace tacit::graphs
