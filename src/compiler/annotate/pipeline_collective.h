// `overlap`: an MPI_Alltoall behind the loop that computes its data (Figure 15 of the paper, done by hand there) travels in parts, or in rows
// of one-sided puts, while the loop goes on:
//
//     tacit_pipeline tacit_exchange;
//     const tacit_pipeline_store tacit_stores[] = {{…}};
//     tacit_pipeline_begin(&tacit_exchange, TACIT_PIPELINE_MEASURED, NULL, array, …, comm, 0, rows - 1, tacit_stores, 1, …);
//     for (i = 0; i < rows; ++i) {
//       tacit_pipeline_reached(&tacit_exchange, i);
//       …
//     }
//     tacit_pipeline_alltoall(&tacit_exchange, array, …, comm);
//
// The tree shows the *strides* of each store into the send buffer: its address is a sum of a product for each counter of the loops
// around it and of what does not change. Whether, with the values of the day, an iteration leaves alone what earlier ones have stored is asked by the
// run time (compiler/coalesce/pipeline.cpp): no bound of a loop must be proven here. What must hold, else the call stays:
//
//     the loop       `for` with a counter that goes up by a constant step to a bound, both without change; nothing jumps out of it
//     in it          no call of MPI, none that is unknown or may throw, no use of the receive buffer, none of the send buffer but
//                    such stores (memcpy, too) and loads; statements that are `indep` of the call are taken as they are
//     the call       the next statement, its value unused; arguments that mean the same in front of the loop; one predefined datatype
//
// What the annotation claims: all processes of the communicator come here together and use it for nothing else meanwhile, and what other
// variables lead to is apart from the two buffers.
#pragma once

#include "compiler/annotate/platform_choice.h"
#include "compiler/annotate/rewriting.h"

namespace tacit::compiler {

void pipeline_collectives(const unit& of, const annotated_statement& at, const platform_choices& by,
                          changes& into);

} // namespace tacit::compiler
