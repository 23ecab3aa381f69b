// Problem: maximize Σx + Σy with x_i ≤ a_i, y_j ≤ b_j, x_i + y_j ≤ m_ij, where a and b are the row and column
// minima, so a_i ≤ m_ij and b_j ≤ m_ij. Greedy loses: three rows of 1 byte can each block the same column
// of 2.
//
// Idea: put x_i = a_i − u_i and y_j = b_j − v_j. Then Σu + Σv is to be minimized with u, v ≥ 0 and u_i + v_j
// ≥ w_ij = a_i + b_j − m_ij: the dual of a maximum-weight bipartite matching with weights w. The Hungarian
// method gives such u and v, in integers. A column without weight is added, so that at least one column stays
// unmatched; its potential is 0, which keeps all u_i ≥ 0. A matched pair has u_i + v_j = w_ij ≤ min(a_i,
// b_j), so no x or y gets negative.
//
// The method adds one row after the other, each with one shortest-path search over the columns: it terminates
// after `rows` searches of at most rows · columns steps. Rows are the shorter side. Source: H. W. Kuhn, The
// Hungarian Method for the Assignment Problem, 1955, with potentials.
#include "graphs/detect/packing.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tacit::graphs {

namespace {

// Volumes need all 64 bits, differences of sums of two of them more.
__extension__ using wide = __int128;

class matching_dual {
public:
  matching_dual(const packing_problem& p, bool large_rows) : p_(p), transposed_(large_rows) {}

  packing solve() {
    const auto& row_limit = transposed_ ? p_.column_limit : p_.row_limit;
    const auto& column_limit = transposed_ ? p_.row_limit : p_.column_limit;
    rows_ = row_limit.size();
    columns_ = std::max(rows_, column_limit.size()) + 1;
    weighted_ = column_limit.size();
    u_.assign(rows_ + 1, 0);
    v_.assign(columns_ + 1, 0);
    match_.assign(columns_ + 1, 0);
    for (std::size_t i = 1; i <= rows_; ++i)
      add_row(i);
    std::vector<std::uint64_t> x(rows_), y(weighted_);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = row_limit[i] - static_cast<std::uint64_t>(-u_[i + 1]);
    for (std::size_t j = 0; j < y.size(); ++j)
      y[j] = column_limit[j] - static_cast<std::uint64_t>(-v_[j + 1]);
    return transposed_ ? packing{std::move(y), std::move(x)} : packing{std::move(x), std::move(y)};
  }

private:
  /// −w of row i and column j, both counted from 1.
  wide cost(std::size_t i, std::size_t j) const {
    if (j > weighted_)
      return 0;
    const std::size_t row = transposed_ ? j - 1 : i - 1, column = transposed_ ? i - 1 : j - 1;
    const std::uint64_t both = p_.both[row * p_.column_limit.size() + column];
    if (both == packing_problem::free_pair)
      return 0;
    return std::min<wide>(0, wide{both} - p_.row_limit[row] - p_.column_limit[column]);
  }

  void add_row(std::size_t i) {
    constexpr wide infinite = wide{1} << 100;
    std::vector<wide> distance(columns_ + 1, infinite);
    std::vector<std::size_t> before(columns_ + 1, 0);
    std::vector<char> done(columns_ + 1, 0);
    std::size_t column = 0;
    match_[0] = i;
    do {
      done[column] = 1;
      const std::size_t row = match_[column];
      wide delta = infinite;
      std::size_t nearest = 0;
      for (std::size_t j = 1; j <= columns_; ++j) {
        if (done[j])
          continue;
        const wide reduced = cost(row, j) - u_[row] - v_[j];
        if (reduced < distance[j]) {
          distance[j] = reduced;
          before[j] = column;
        }
        if (distance[j] < delta) {
          delta = distance[j];
          nearest = j;
        }
      }
      for (std::size_t j = 0; j <= columns_; ++j) {
        if (done[j]) {
          u_[match_[j]] += delta;
          v_[j] -= delta;
        } else {
          distance[j] -= delta;
        }
      }
      column = nearest;
    } while (match_[column] != 0);
    for (; column != 0; column = before[column])
      match_[column] = match_[before[column]];
  }

  const packing_problem& p_;
  bool transposed_;
  std::size_t rows_ = 0, columns_ = 0;
  std::size_t weighted_ = 0; ///< columns that are not added ones
  std::vector<wide> u_, v_;
  std::vector<std::size_t> match_; ///< row of each column, 0: none
};

} // namespace

packing pack(const packing_problem& problem, bool large_rows) {
  if (problem.row_limit.empty() || problem.column_limit.empty())
    return {problem.row_limit, problem.column_limit};
  return matching_dual(problem, large_rows).solve();
}

double packing_cost(std::size_t rows, std::size_t columns, bool large_rows) {
  const auto searched = static_cast<double>(large_rows ? columns : rows);
  return searched * searched * static_cast<double>(std::max(rows, columns));
}

} // namespace tacit::graphs
