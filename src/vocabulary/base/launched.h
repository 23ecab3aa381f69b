// What the launcher's variables say of this process before MPI does. Its library may not be the program's: so all that are
// known are asked, and what is no whole number is no answer.
#pragma once

#include "vocabulary/base/spoken.h"

#include <optional>

namespace tacit::vocabulary {

std::optional<int> launched_rank();
/// How many ranks the whole job has.
std::optional<int> launched_ranks();
/// How many of them are on this host.
std::optional<int> launched_ranks_here();
/// They are more than the host has cores. False if the launcher does not say how many they are.
bool launched_more_ranks_than_cores();

} // namespace tacit::vocabulary
