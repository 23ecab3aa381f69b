// The overlap pass over one function, in the order in which it happens: decide, explain, change.
#pragma once

#include "compiler/pass/decide.h"
#include "compiler/pass/wait_graph.h"

namespace tacit::compiler {

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
void explain_obstacle(function_context& context, const options& options, const std::string& what);

/// Finds, explains and (if `options` says so) rewrites every site of the function. Returns true if it changed
/// anything.
bool overlap_function(function_context& context, effects& effects, const options& options, wait_graph& graph);

} // namespace tacit::compiler
