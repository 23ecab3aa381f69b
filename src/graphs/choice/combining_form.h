// Reductions of a plan carried out by messages and local reductions.
#pragma once

#include "graphs/generate/generate.h"
#include "graphs/graph/graph.h"
#include "graphs/plan/plan.h"
#include "vocabulary/base/function_ref.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// Whether there is such an algorithm for the collective `s` among n ranks. The linear one, which there always is, counts for scans,
/// reduce-scatters and what has to keep an order; for others it is what straight messages are. `nodes`: members of several, some of one; then
/// two levels keep the order of a reduce or allreduce.
bool has_combining_form(const graph& g, const step& s, std::uint32_t n, algorithm form, bool nodes);

/// The steps of each member, in the order of `members`; `after` counts within a list. `calls` has their steps of the collective;
/// scratch memory is taken from `ranks`, tags from `next_tag`. `order`: in which they have to combine; null: any. `nodes`: of each member,
/// for two levels; else empty. Linear if there is no such form.
std::vector<step_list> combine_by_messages(const graph& g, std::span<const rank_id> members,
                                           std::span<const step* const> calls, const evaluation* order,
                                           algorithm form, std::span<const std::uint32_t> nodes,
                                           std::vector<rank_plan>& ranks,
                                           function_ref<std::int32_t(rank_id from, rank_id to)> next_tag);

} // namespace tacit::graphs
