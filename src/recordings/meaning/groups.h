// Names of communicators: what part of the world they are.
#pragma once

#include "recordings/meaning/messages.h"

#include <string>
#include <vector>

namespace tacit::recordings {

/// Per group: "all ranks", "row 1 of a 2x4 grid", "column 0 of a 2x4 grid", "ranks 0,2,5"; all ranks in
/// another order than the world's: "all ranks, reordered".
std::vector<std::string> group_shapes(const std::vector<group>& groups);
/// "row communicator", "column communicator", "communicator".
std::string group_noun(const std::string& shape);

} // namespace tacit::recordings
