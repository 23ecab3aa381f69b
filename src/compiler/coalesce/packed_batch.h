// A batch as bytes of a message: records of 8-byte words, each with what is to be done, where, and the values. The same program wrote it
// on another process, so that sizes and operators have the same numbers there. Each record stands for itself: between any two of them a
// message may be cut, and what it is cut into be carried out one after the other.
#pragma once

#include "compiler/coalesce/batch.h"

namespace tacit::compiler {

/// Bytes that no record exceeds.
constexpr std::size_t largest_record = 20 * 1024;

/// Whether its target can carry out a batch with the same result as MPI's own call has.
bool is_packable(const batch& b);
/// Appends the batch. False, and nothing has changed, if there is no memory.
bool pack(growable<char>& to, batch& b);
/// How many of these bytes, `most` at most, are whole records; `most` is not less than the largest one.
std::size_t whole_records(const char* packed, std::size_t bytes, std::size_t most);
/// Carries out records on the window memory that begins at `base`.
void carry_out(const char* packed, std::size_t bytes, char* base);

} // namespace tacit::compiler
