// Two values for one place become one before they are sent, where the result has the same bits as sending both, in any
// interleaving with other processes that MPI allows: x op a op b = x op (a op b) for every x.
#pragma once

#include "compiler/coalesce/datatypes.h"

#include <mpi.h>

namespace tacit::compiler {

/// Puts `value` on top of what is collected. False, and nothing has changed: this pair must be sent one by one.
using combiner = bool (*)(void* collected, const void* value);

/// Null where values must never be combined: floating-point sums and products (rounding), complex numbers, pairs.
combiner combiner_of(MPI_Op op, const element_type& element);

} // namespace tacit::compiler
