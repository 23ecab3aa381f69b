// `osc_coalesce`: mpi_osc_data_coalesce of the paper (Figure 6). The statement becomes a region of the run time
// (include/tacit/coalesce.h), which collects small one-sided operations:
//
//     tacit_coalesce* tacit_region = tacit_coalesce_begin(…);
//     #pragma mpi osc_coalesce (win, …) transformed
//     while (…) {
//       tacit_accumulate(tacit_region, …, win);          for MPI_Accumulate
//       tacit_coalesce_send(tacit_region, …); unknown(); for unknown()
//       tacit_win_fence(tacit_region, 0, win);           for MPI_Win_fence
//     }
//     tacit_coalesce_end(&tacit_region);
//
// What must hold: every call in the statement that may synchronize one of the windows, or may operate on it, is one of the run
// time's or has a tacit_coalesce_send in front of it; the region ends on every way out (the variable's clean-up function), and
// nobody jumps past its declaration. Where one of these cannot be written down, the statement stays as it is.
#pragma once

#include "compiler/annotate/platform_choice.h"
#include "compiler/annotate/rewriting.h"

namespace tacit::compiler {

void coalesce_windows(const unit& of, const annotated_statement& at, const platform_choices& by,
                      changes& into);

} // namespace tacit::compiler
