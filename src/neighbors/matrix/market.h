// Sparse matrices from files in the Matrix Market format (Boisvert, Pozo, Remington: The Matrix Market
// Exchange Formats, NISTIR 5935, 1996), and the exchange of halos that a parallel product of matrix and
// vector makes of them.
//
// Rows are distributed over ranks. Row i needs x[j] for every entry (i, j); x[j] lives with row j. So the
// rank of row j sends x[j] once to every other rank that has a row with an entry in column j.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tacit::neighbors {

/// What is wrong with the text of a matrix, with its line.
struct matrix_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where a square matrix has entries: columns[first[i]] … of row i, ascending, each once. Symmetric formats
/// are expanded.
struct sparse_pattern {
  std::uint32_t rows = 0;
  std::vector<std::size_t> first; ///< rows + 1
  std::vector<std::uint32_t> columns;
};

/// Coordinate format only; values are not kept. Throws matrix_error.
sparse_pattern read_matrix_market(std::string_view text);

/// The pattern of A + Aᵀ without its diagonal: the graph that is partitioned.
sparse_pattern adjacency(const sparse_pattern& a);

/// Blocks of consecutive rows, equally many.
std::vector<std::uint32_t> blocks_of_rows(std::uint32_t rows, std::uint32_t parts);

struct halo_edge {
  std::uint32_t from = 0, to = 0;
  std::uint64_t values = 0; ///< entries of the vector
  friend bool operator==(const halo_edge&, const halo_edge&) = default;
};

/// `part` says which rank each row belongs to. Sorted by (from, to).
std::vector<halo_edge> halo_of(const sparse_pattern& a, const std::vector<std::uint32_t>& part);

} // namespace tacit::neighbors
