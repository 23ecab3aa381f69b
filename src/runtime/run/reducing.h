// Reductions as MPI carries them out.
#pragma once

#include "runtime/run/program.h"

#include <functional>
#include <vector>

namespace tacit::runtime {

/// What combines: `into` = `from` ⊕ `into`, the data of whole elements in packing order at absolute addresses; `in_device`: some may lie
/// where only MPI combines. Throws mpi_error, also when it is called.
std::function<void()> reducing(const bound_reducer& by, std::vector<graphs::segment> from,
                               std::vector<graphs::segment> into, bool in_device);

} // namespace tacit::runtime
