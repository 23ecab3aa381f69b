// How the parts of all ranks come to rank 0, and what each rank shall do back. Collective; blocks.
#pragma once

#include "runtime/mpi/agreement.h"
#include "runtime/schedule/rank_position.h"
#include "runtime/schedule/wire.h"

#include <vector>

namespace tacit::runtime {

/// The messages of all ranks at rank 0, in order; none if some rank has failed. Does not agree.
std::vector<message> gather_by_tree(message mine, const rank_position& at, agreement& all);

/// `list`, on rank 0: what all ranks get, then one message for each rank; empty: all get nothing. Returns what all get and this rank's
/// own, or nothing. Does not agree.
std::vector<message> scatter_by_tree(std::vector<message> list, const rank_position& at, agreement& all);

} // namespace tacit::runtime
