// tacit analyze --predict: what a graph would take on other numbers of ranks.
#pragma once

#include "graphs/choice/scaling.h"
#include "graphs/graph/graph.h"
#include "surface/cli/progress.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tacit::surface {

struct scaling_request {
  std::vector<std::uint32_t> ranks;         ///< empty: not asked for
  std::optional<graphs::message_cost> cost; ///< of --message-cost
  std::vector<std::string> models;          ///< files of `tacit platform`: of one host, between two, or both
  bool reassociates = false;                ///< --allow-reassociation
  std::uint32_t ranks_per_node = 1;         ///< each has a core
};

/// A table, or JSON. Throws user_error if the graph is none of the known algorithms, or a model cannot be read.
std::string predicted_scaling(const std::string& name, const graphs::graph& g, const graphs::findings& found,
                              const scaling_request& request, bool json, progress_line& progress);

} // namespace tacit::surface
