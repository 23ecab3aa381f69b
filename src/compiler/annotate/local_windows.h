// `rma` and `local_ldst`: the paper's mpi_rma_2_ldst, mpi_ldst_coh and mpi_ldst_incoh (Figure 10).
//
// rma: MPI_Put and MPI_Get of the listed windows become tacit_local_put and tacit_local_get, plain copies where the memory of the
// target can be reached; the paper's test "target == rank" is one of what the run time finds out (include/tacit/coalesce.h).
// Accumulates stay MPI's, because plain stores are not atomic with those of others. What must hold:
//  * No fence is told MPI_MODE_NOSTORE, that the window's memory was not stored to, unless its call is changed, too.
//  * Memory of other processes counts (TACIT_LOCAL_NODE) only where the epoch is one of shared locks and no exclusive lock is
//    in the translation unit: other epochs may begin at the target later than the call returns.
//
// local_ldst: exclusive locks become shared ones where the window is unified and `no_overlap` is claimed: loads and stores of
// different processes then never meet. Nothing else may rely on the lock: no unknown functions between, unless they are `indep`.
// On a platform without coherent caches, assignments to and from the buffer become MPI_Put and MPI_Get, each flushed.
#pragma once

#include "compiler/annotate/platform_choice.h"
#include "compiler/annotate/rewriting.h"

namespace tacit::compiler {

void use_local_memory(const unit& of, const annotated_statement& at, const platform_choices& by,
                      changes& into);
void relax_locks(const unit& of, const annotated_statement& at, const platform_choices& by, changes& into);

} // namespace tacit::compiler
