// Which collective an exchange is: Table 2 of the CPD paper, for meshes of ranks.
//
// Problem: given who has a box of a buffer (owner), who wants it (wanted) and who has copies (held), name the collective that
// moves exactly what is missing, or the reason why there is none. The answer must be the same on all ranks and must not cost more
// where there are more of them, so it comes from the formulas of the distributions alone.
//
// Idea: let S be the ranks that own something of what is wanted, and T those that want something; both are ranges of coordinates.
//   |S| = 1, |T| = 1  a message                 |S| = 1, |T| > 1  broadcast if all of T want the same, else scatter
//   |S| > 1, |T| = 1  gather                    |S| > 1, all of T want the same: allgather
//   otherwise, axis by axis of a common mesh: an axis is local (owner and wanted divide the same dimension alike), widened
//   (alike, but more is wanted), gathered (the owner's dimension is wanted whole) or transposed (wanted is divided in another
//   one). All local or widened: halo. Local and gathered: allgather among the ranks that differ in the gathered axes only. Local
//   and transposed (and gathered): alltoall among those. With one axis these are the paper's transposition rules 1 to 5: the
//   owner divides d and not d', wanted divides d' and not d, and both cover what is exchanged. Between different meshes:
//   alltoall if no dimension is divided by both, as every piece then overlaps every other one.
// Where some of T have copies, or do not want all that an allgather or a broadcast would bring, the same ranks exchange by
// alltoall or scatter, whose pieces are exact.
//
// Reference: Knorr, Salzmann, Thoman, Fahringer, "Automatic Discovery of Collective Communication Patterns in Parallelized Task
// Graphs", sections 3.2 and 5.1; meshes and axes as in XLA's and PyTorch's layouts. Cost: O(log ranks), some 100 ns.
#pragma once

#include "tasks/discover/exchange.h"
#include "vocabulary/calls/reasons.h"

namespace tacit::tasks {

struct classified {
  std::optional<collective_kind> kind;
  reason why_not = reason::none; ///< if there is no kind; none if nothing can move
  rank_id root = no_rank;
  team who;
};

classified classify(const exchange_part& part);

/// Partial values of the chunks of `partial`, wanted combined. Always a collective: reduce to one rank, reduce_scatter to
/// disjoint pieces, else allreduce among all ranks. Ranks without a chunk contribute nothing.
classified classify_reduction(const distribution& partial, const distribution& wanted, const box& what,
                              std::uint32_t ranks);

/// True if it can be told that nobody lacks anything of a box: the owner, or one of the copies, covers what is wanted.
bool satisfied(const box& where, const distribution& owner, const distribution& wanted,
               const std::vector<distribution>& held);

} // namespace tacit::tasks
