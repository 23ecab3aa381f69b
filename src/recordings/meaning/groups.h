// What the groups of communicators are in the world: everybody, rows and columns of a grid, or others.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/messages.h"

#include <vector>

namespace tacit::recordings {

/// The shape of each group; the first one must be the world. Cost O(members of all groups · log groups).
std::vector<group_shape> group_shapes(const std::vector<group>& groups);

} // namespace tacit::recordings
