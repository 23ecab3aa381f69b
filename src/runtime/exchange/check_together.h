// Check mode (TACIT_CHECK=1): before a plan first runs, the ranks gather what each knows of the collective
// and is about to do for it, and rank 0 checks all of it together (neighbors/check/check.h).
#pragma once

#include "runtime/exchange/exchange_site.h"
#include "runtime/mpi/agreement.h"

#include <string>

namespace tacit::runtime {

/// What rank 0 has found out; the same on all ranks.
struct checked_together {
  bool right = false;
  std::string plan_fault; ///< not empty: our bug, with rank and edge
  std::string call_fault; ///< not empty: why there was nothing to check
  /// What was found, as one line for people.
  std::string remark() const;
};

/// `tag`: of messages among these ranks that are not under way now. Collective, blocks. Memory of rank 0: the
/// pieces of all ranks. A wrong plan is also reported to stderr, by rank 0: it is a bug, and nobody may have
/// asked for an explanation. Throws what `all` does, and then only.
checked_together check_together(const exchange_site& site, const char* function,
                                const neighbors::neighbor_blocks& blocks, const graphs::rank_plan& plan,
                                int tag, agreement& all);

} // namespace tacit::runtime
