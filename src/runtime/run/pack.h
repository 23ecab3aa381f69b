// Programs that travel between ranks.
#pragma once

#include "runtime/mpi/packer.h"
#include "runtime/run/program.h"

namespace tacit::runtime {

/// Everything of a program but `call` and `reducers`.
void pack(packer& into, const program& p);
program unpack_program(unpacker& from);

} // namespace tacit::runtime
