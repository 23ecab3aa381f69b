// Compiling graphs that all ranks have told as affine runs (graphs/affine). Where they are one collective, every rank makes its own steps, so what
// rank 0 tells does not grow with the number of messages; and where the exchange is too large to be looked at message by message, rank
// 0 does not expand it either.
#pragma once

#include "graphs/affine/compile_affine.h"
#include "graphs/choice/choose.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/wire.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tacit::runtime {

/// All parts as runs, which are one collective.
struct whole_runs {
  graphs::affine_graph g;
  graphs::affine_compilation compiled;
  std::uint64_t operations = 0; ///< of the parts, whose copies are messages in `g`
};
/// Nothing if they are not, or if more is asked than can be said of runs.
std::optional<whole_runs> whole_runs_of(const std::vector<local_graph>& parts, const compile_request& wanted);

/// How it is carried out, as a choice without steps; nothing if messages have to be looked at.
std::optional<graphs::choice> choose_at_sight(const whole_runs& runs, const graphs::choice_request& where);

/// What `scatter_by_tree` takes: the explanation and the collective, for each rank alike. Nothing where a rank would have to make the steps of
/// many others to know its own, or some rank that is looked at makes others than those of a plan, if it has steps. Of several variants,
/// which are finalists (choose.h), the first alone counts for what has no steps or would need those of others; others are left out.
std::optional<std::vector<message>> told_as_collective(const whole_runs& runs, const explanation& why,
                                                       const graphs::choice& chosen, const std::string& asked,
                                                       const graphs::process_map& where);

/// The explanation of a graph that was never expanded.
explanation explain_at_sight(const whole_runs& runs, const graphs::choice& chosen, std::string_view prices);

/// On each rank: its part of what was told, without the explanation.
rank_part part_of_collective(const told_collective& told, const local_graph& part);

} // namespace tacit::runtime
