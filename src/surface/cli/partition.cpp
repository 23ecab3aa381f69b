#include "surface/cli/partition.h"

#include "surface/cli/commands.h"
#include "surface/cli/files.h"

#include <fmt/format.h>
#include <limits>

#ifdef TACIT_WITH_METIS
#include <metis.h>
#endif

namespace tacit::surface {

bool has_metis() {
#ifdef TACIT_WITH_METIS
  return true;
#else
  return false;
#endif
}

std::vector<std::uint32_t> partition(const neighbors::sparse_pattern& a, std::uint32_t parts) {
#ifdef TACIT_WITH_METIS
  if (parts < 2)
    return std::vector<std::uint32_t>(a.rows, 0);
  const neighbors::sparse_pattern graph = neighbors::adjacency(a);
  if (graph.columns.size() > static_cast<std::size_t>(std::numeric_limits<idx_t>::max()))
    throw user_error(input_has_errors, "the matrix has too many entries for this METIS; use --parts blocks");
  std::vector<idx_t> first(graph.first.begin(), graph.first.end()),
      columns(graph.columns.begin(), graph.columns.end()), part(a.rows);
  columns.push_back(0); // METIS wants an address even if there is no edge
  idx_t rows = static_cast<idx_t>(a.rows), constraints = 1, count = static_cast<idx_t>(parts), cut = 0;
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = 1; // the same parts in every run
  if (METIS_PartGraphKway(&rows, &constraints, first.data(), columns.data(), nullptr, nullptr, nullptr,
                          &count, nullptr, nullptr, settings, &cut, part.data()) != METIS_OK)
    throw user_error(input_has_errors, "METIS could not partition the matrix; use --parts blocks");
  return {part.begin(), part.end()};
#else
  static_cast<void>(a);
  static_cast<void>(parts);
  throw user_error(wrong_usage, "this tacit was built without METIS (libmetis-dev); use --parts blocks");
#endif
}

} // namespace tacit::surface
