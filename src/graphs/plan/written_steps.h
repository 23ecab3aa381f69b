// Operations of a graph as steps that do the same.
#pragma once

#include "graphs/plan/plan.h"

namespace tacit::graphs {

/// Appends the step of one operation; a receive that reduces is two, through scratch memory of the plan. Returns
/// the last one. What comes before the operation is for the caller to add to the first. `exact`: a receive has
/// room for its message alone.
std::uint32_t add_written_steps(const graph& g, const matching& m, op_id id, std::int32_t tag, bool exact,
                                rank_plan& at);

/// Appends the steps of `t.kept_operations` to a plan that replaces all others. They keep the order that their
/// bytes need, whatever gave it in the graph: an operation follows those of its rank that wrote what it touches,
/// and those that touched what it writes. Cost O(accesses log accesses).
void add_kept_operations(const graph& g, const matching& m, const transfers& t, plan& p);

} // namespace tacit::graphs
