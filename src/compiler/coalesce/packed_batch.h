// A batch as bytes of a message: records of 8-byte words, each with what is to be done, where, and the values. The same program wrote it
// on another process, so that sizes and operators have the same numbers there.
#pragma once

#include "compiler/coalesce/batch.h"

namespace tacit::compiler {

/// Whether its target can carry out a batch with the same result as MPI's own call has.
bool is_packable(const batch& b);
/// Appends the batch. False, and nothing has changed, if there is no memory.
bool pack(growable<char>& to, batch& b);
/// Carries out what pack() has written on the window memory that begins at `base`.
void carry_out(const char* packed, std::size_t bytes, char* base);

} // namespace tacit::compiler
