// In which order the computations of a rank run, as far as a graph says.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/match/match.h"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace tacit::graphs {

/// By computation: those of its rank that dependencies say come before it.
class computations_before {
public:
  /// Cost O(dependencies * computations of a rank / 64); nothing is known where that would take more than 128 MiB.
  computations_before(const graph& g, const run_order& o);
  bool known() const { return known_; }
  const std::unordered_map<op_id, std::vector<op_id>>& all() const { return before_; }

private:
  static constexpr std::size_t most_words = std::size_t{1} << 24;
  bool known_ = false;
  std::unordered_map<op_id, std::vector<op_id>> before_;
};

} // namespace tacit::graphs
