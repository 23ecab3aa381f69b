// One rank's steps, from its own runs and what all ranks know of the collective that they are.
#pragma once

#include "graphs/graph/affine_run.h"
#include "graphs/part/facts.h"
#include "graphs/plan/plan.h"

#include <optional>
#include <string_view>

namespace tacit::graphs {

/// Whether the steps of a rank would leave what its runs leave, as far as that rank can tell.
bool keeps_to(const rank_plan& steps, const affine_list& runs);

/// By the plan of this name (choice/choose.h); nothing if there is no such plan, or if its steps would not leave what the runs leave. `runs`:
/// without other operations, of a graph with this meaning. All ranks count as being on one node. Cost as the rank's own messages;
/// for algorithms that forward, as the messages of all ranks.
std::optional<rank_plan> steps_of(const affine_list& runs, const part_finding& what, std::string_view plan);

} // namespace tacit::graphs
