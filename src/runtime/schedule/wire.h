// What travels when a graph is compiled: the parts of the graph to rank 0, and what each rank shall do back.
//
// Everything begins with a word that changes with the format, so that ranks that run different builds notice.
#pragma once

#include "runtime/run/pack.h"
#include "runtime/run/program.h"
#include "runtime/schedule/explain.h"
#include "runtime/schedule/local_graph.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tacit::runtime {

using message = std::vector<std::byte>;

message packed_graph(const local_graph& g);
/// Throws call_error: `environment` if another version wrote it.
local_graph unpacked_graph(const message& bytes);

struct named_program {
  std::string name; ///< for people
  program steps;    ///< without `call`
};

/// What rank 0 tells one rank.
struct rank_part {
  std::string driver; ///< that was asked for; empty: by priority
  explanation why;
  program steps; ///< without `call`
  /// Programs that do the same, to be measured in place, the graph as written first; empty: `steps` alone.
  std::vector<named_program> candidates;
  /// The rank's own computations: operation in the joined graph, operation as the rank numbers them.
  std::vector<std::pair<op_id, std::int32_t>> computations;
};
message packed_part(const rank_part& part);
rank_part unpacked_part(const message& bytes);

} // namespace tacit::runtime
