// The parts of validation that need no dataflow: is every step well formed, do the members of each collective
// agree, and can everything complete whatever the timing?
#pragma once

#include "graphs/plan/plan.h"

#include <string>

namespace tacit::graphs {

/// Indices, peers, groups and blocks; collectives called alike and in one order on all members, without self
/// blocks and with the sizes they claim. Empty if well formed, else the first fault. Later checks rely on it.
std::string check_shape(const graph& g, const plan& p);

/// Runs the plan under the worst semantics: a message completes only when both sides have started it, a
/// collective only when all members have. Empty if everything completes, else names a step that cannot. Cost
/// O(steps + dependencies).
std::string check_progress(const graph& g, const plan& p);

/// "rank 3 step 2 (allgather)".
std::string describe_step(const plan& p, std::uint32_t rank, std::uint32_t step);

} // namespace tacit::graphs
