// The overlap pass over one function: matching, placement, motion, and a remark for every site.
#pragma once

#include "compiler/pass/effects.h"
#include "compiler/pass/options.h"
#include "compiler/pass/placement.h"
#include "compiler/pass/wait_graph.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>

namespace tacit::compiler {

/// What the pass over a function needs of LLVM.
struct function_context {
  function_analyses analyses;
  llvm::AAResults& aliases;
  llvm::OptimizationRemarkEmitter& remarks;
  bool error_handlers;  ///< the module sets MPI error handlers
  bool waits_elsewhere; ///< the module calls functions that wait for others outside MPI
  const llvm::SmallPtrSetImpl<const llvm::Function*>&
      messengers; ///< routines with messages that were not inlined
};

/// What could be gained by inlining around a function.
struct scouting {
  /// Calls of routines with a body here that stop an operation of the function from staying pending, because
  /// of what they do to its buffer or because they communicate: inlined, their accesses can be told apart.
  llvm::SmallSetVector<llvm::CallBase*, 8> blocking;
  unsigned sites = 0;       ///< sites, and posts that are completed elsewhere
  unsigned for_callers = 0; ///< those of them that could do better as part of the callers
};

/// Changes nothing and says nothing.
scouting scout(function_context& context, effects& effects, options options);

/// Says for every site of a function that cannot be changed what the obstacle is.
void explain_obstacle(function_context& context, effects& effects, const options& options, const char* what);

/// Finds, explains and (if `options` says so) rewrites every site of the function. Returns true if it changed
/// anything.
bool overlap_function(function_context& context, effects& effects, const options& options, wait_graph& graph);

} // namespace tacit::compiler
