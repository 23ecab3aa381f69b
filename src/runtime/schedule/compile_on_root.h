// What rank 0 does alone: it joins the parts of all ranks, compiles the graph and cuts the result into parts
// again.
#pragma once

#include "graphs/choice/choose.h"
#include "graphs/compile/compile.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/wire.h"

#include <vector>

namespace tacit::runtime {

struct compiled_graph {
  joined_graph all;
  graphs::compilation products;
  explanation why;
  std::string driver; ///< that was asked for; empty: none
  graphs::choice chosen;
  measurement_name measured_as;
};

/// Throws call_error: `graph`, with all that is wrong, if the parts do not fit together. A part is given free
/// as soon as it has been read.
compiled_graph compile_parts(std::vector<message> parts, const compile_request& wanted);

/// What one rank has to know.
rank_part part_of(const compiled_graph& compiled, std::uint32_t rank);

} // namespace tacit::runtime
