// Scatter rows against gather columns: how many bytes of each pair go to which.
#pragma once

#include <cstdint>
#include <vector>

namespace tacit::graphs {

/// Complete rows and columns of a volume matrix. `both` holds the volume of (row, column), row-major; where
/// the row's and the column's rank are the same there is no volume and no conflict: `free_pair`.
struct packing_problem {
  static constexpr std::uint64_t free_pair = ~std::uint64_t{0};
  std::vector<std::uint64_t> row_limit;    ///< smallest volume in the row
  std::vector<std::uint64_t> column_limit; ///< smallest volume in the column
  std::vector<std::uint64_t> both;
};

struct packing {
  std::vector<std::uint64_t> rows;    ///< x: bytes per block of each scatter
  std::vector<std::uint64_t> columns; ///< y: bytes per block of each gather
};

/// Maximizes Σx + Σy subject to x_i ≤ row_limit_i, y_j ≤ column_limit_j and x_i + y_j ≤ both_ij. Exact. Among
/// equally good answers one with large rows or one with large columns.
packing pack(const packing_problem& problem, bool large_rows);

/// Elementary steps that `pack` may need.
double packing_cost(std::size_t rows, std::size_t columns, bool large_rows);

} // namespace tacit::graphs
