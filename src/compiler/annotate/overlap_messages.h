// `cco`: the paper's mpi_comp_comm_overlap (Figure 8). Blocking messages in the block around them (through conditionals, not loops)
// are posted where they stand and completed later in the same block:
//
//     MPI_Request tacit_requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
//     if (up) MPI_Isend(…, &tacit_requests[0]);
//     if (down) MPI_Irecv(…, &tacit_requests[1]);
//     #pragma mpi indep MPI_SendRecv(comm)
//     inner(…);
//     MPI_Wait(&tacit_requests[0], MPI_STATUS_IGNORE); …
//     border(…);
//
// A receive or a send that is a statement of the block is posted earlier than it stands, past loops and other work that provably has
// nothing to do with it. A request that was never posted is null, and waiting for it does nothing: the wait needs no condition. Each wait stands before
// the first statement that may touch the message's memory, leave the block, or do what is not known; at the latest at the
// end of the block, so that nothing is under way in the next iteration. `indep` lets statements pass that the tree
// cannot prove harmless. What `cco` itself claims: buffers of listed messages that have different names are apart, and the
// listed messages may be under way together.
#pragma once

#include "compiler/annotate/platform_choice.h"
#include "compiler/annotate/rewriting.h"

namespace tacit::compiler {

// What must hold before a message is posted earlier than it stands (post_rule in rewriting.h):
//
//     data        what it passes neither stores into what is sent, nor uses what is received
//     calls       it passes nothing unknown, which could communicate
//     claims      nor what is only claimed to be independent: that may receive, too
//     control     nothing it passes may leave the block
//     arguments   its arguments are the same there
//     messages    receives pass listed sends, and nothing passes another message of its own kind
//     order       of several that are posted earlier, none passes another one
//     completion  no message that is complete before it shares memory with it

void overlap_messages(const unit& of, const annotated_statement& at, const platform_choices& by,
                      changes& into);

} // namespace tacit::compiler
