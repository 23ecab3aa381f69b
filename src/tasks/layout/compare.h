// What can be said about distributions for all ranks at once.
//
// All answers are sound and cheap: "true" holds for every rank, and no rank is asked. "false" may mean that the formulas do not
// tell; then exact regions decide, rank by rank.
#pragma once

#include "tasks/layout/distribution.h"

#include <span>

namespace tacit::tasks {

/// The axis of the mesh along which the pieces differ in a dimension of the buffer, or -1. Symbolic distributions only.
int varying_axis(const distribution& p, int dim);
/// True if every rank with a chunk has the same piece.
bool constant(const distribution& p);
/// The same distribution with dimensions that are so wide that every rank with a chunk has all of them said to be constant.
distribution simplified(distribution p);
/// True if both meshes give every rank the same coordinates (as far as both have chunks for it).
bool same_mesh(const split& a, const split& b);
/// Whether the splits divide an axis alike.
bool same_axis(const distribution& a, const distribution& b, int axis);
/// True if the interval of `inner` in a dimension of the buffer lies, within `within`, in that of `outer`, for every rank with
/// a chunk in both. The meshes must be the same, or the dimension must be constant in `outer`.
bool dimension_covers(const distribution& outer, const distribution& inner, int dim, interval within);
/// True if every rank has in `outer` what it has in `inner` of a box.
bool covers(const distribution& outer, const distribution& inner, const box& within);
/// True if no element has two ranks: each axis with several parts is followed, and not widened, by a dimension.
bool disjoint(const distribution& p);

} // namespace tacit::tasks
