// Groups that no communicator has but whose members may scan: hypotheses, each verified exactly by the search of scans (scans.h).
#pragma once

#include "graphs/flow/terms.h"
#include "graphs/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// What is known of a term when groups are guessed.
enum class term_use : std::uint8_t {
  open,    ///< at least in part
  taken,   ///< a scan of some communicator has all of it
  refused, ///< its part of the graph runs as written
};

/// Groups in the order of their scan, the largest first, each once. `uses`: of each term of `list`. Groups of fewer than `smallest` members,
/// or of four, are no pattern.
std::vector<std::vector<rank_id>> scan_groups(const graph& g, const transfers& t, std::span<const term> list,
                                              std::span<const term_use> uses, std::uint32_t smallest);

} // namespace tacit::graphs
