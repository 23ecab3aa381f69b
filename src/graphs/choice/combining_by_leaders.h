// Reduce and allreduce in two levels, where it is said in which order they combine.
#pragma once

#include "graphs/choice/combining_steps.h"
#include "graphs/flow/evaluation.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// `nodes`: of each member. The steps of each member.
std::vector<step_list> combine_by_leaders(const combining_steps& none, const evaluation& order,
                                          std::span<const std::uint32_t> nodes);

} // namespace tacit::graphs
