// Messages of datatypes with too many pieces to list.
//
// A plan lists every piece of a block, 16 bytes each: a vector of 2^27 single bytes, which MPI describes by
// three numbers, would take 2 GiB. A blocking or nonblocking call asks nobody whether its own plan can be
// made, so such a call may neither fail nor be left to the MPI library by the one rank that has such a type.
//
// Idea: what the other ranks see of a plan is one message per peer and direction (or per edge, where edges
// are not coalesced), its blocks in the order of channels. That needs no list: a structure of the caller's
// own datatypes describes the same bytes, and MPI walks them. Local copies become messages to oneself, which
// nobody else sees either. Cost: a datatype per message in every call; no plan is kept. Types need not be
// committed.
#pragma once

#include "runtime/exchange/neighbor_call.h"
#include "runtime/run/flat_run.h"

#include <vector>

namespace tacit::runtime {

/// All messages of the call, incoming ones first; tags are those of plan_neighbor. Throws neighbor_error
/// (arguments), mpi_error. Local.
std::vector<typed_message> unlisted_messages(const neighbor_call& call, const neighbors::neighborhood& n,
                                             bool coalesce);

} // namespace tacit::runtime
