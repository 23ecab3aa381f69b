// Overlapping writes: elements that two ranks would write in one task, so that none of them owned them.
//
// Formulas tell for the catalogue and all ranks at once (an axis of the mesh that no written dimension follows). What they
// leave open (several accesses to the same region, functors of the user) is looked at for this rank: whether another rank
// writes what this one does. So at least the two ranks concerned know.
#pragma once

#include "tasks/layout/compare.h"

#include <optional>
#include <span>

namespace tacit::tasks {

struct write_conflict {
  std::uint32_t first = 0, second = 0; ///< ranks
  region where;
};

/// Of all that one task writes into one buffer, as far as rank `me` can see.
std::optional<write_conflict> find_overlap(std::span<const distribution> written, std::uint32_t me);

} // namespace tacit::tasks
