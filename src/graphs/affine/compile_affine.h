// The passes on affine runs: graph in, collective out, or the reason why it has to be expanded. Read affine_meaning.h first.
//
// Nothing here grows with the square of the number of ranks: each rank's steps are made when they are asked for (affine_steps.h), as
// each rank needs its own ones only.
#pragma once

#include "graphs/affine/affine_meaning.h"
#include "graphs/compile/compile.h"
#include "graphs/part/facts.h"

#include <vector>

namespace tacit::graphs {

struct affine_compilation {
  affine_refusal why = affine_refusal::none; ///< else there is no `meaning`
  affine_meaning meaning;
  diagnostics problems; ///< its plan failed its check: a bug of ours, it is not to be used
  std::vector<pass_time> times;

  bool is_whole() const { return why == affine_refusal::none && problems.empty(); }
};

/// True if these options ask nothing that runs know no answer to.
bool may_compile_affine(const compile_options& options);

affine_compilation compile(const affine_graph& g);

/// The collective as all ranks can know it.
part_finding finding_of(const affine_meaning& m);

} // namespace tacit::graphs
