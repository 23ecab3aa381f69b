// Rows of a matrix to ranks.
#pragma once

#include "neighbors/matrix/market.h"

#include <cstdint>
#include <vector>

namespace tacit::surface {

/// With METIS (multilevel k-way, G. Karypis, V. Kumar 1998), if this tacit was built with it, so that few
/// values cross between parts. Throws user_error.
std::vector<std::uint32_t> partition(const neighbors::sparse_pattern& a, std::uint32_t parts);

bool has_metis();

} // namespace tacit::surface
