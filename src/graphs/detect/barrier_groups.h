// Groups that no communicator has but whose members all wait for each other: what each rank has heard says which.
#pragma once

#include "graphs/detect/subgroups.h"
#include "graphs/flow/flow.h"

#include <cstdint>
#include <vector>

namespace tacit::graphs {

/// Larger graphs have no table of all pairs for this: 2 MiB.
inline constexpr std::uint32_t most_ranks_for_barriers = 4096;

/// Groups of four ranks or more, not of all, in which each has heard from each other one, the largest first; none is part of another.
std::vector<rank_set> barrier_groups(const wait_sets& heard, std::uint32_t ranks);

} // namespace tacit::graphs
