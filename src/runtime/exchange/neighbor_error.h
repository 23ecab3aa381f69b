// What a caller of a neighborhood collective did wrong, or what its communicator lacks.
#pragma once

#include "runtime/mpi/errors.h"

namespace tacit::runtime {

using neighbor_error = call_error;

} // namespace tacit::runtime
