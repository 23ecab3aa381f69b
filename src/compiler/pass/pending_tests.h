// Taking the tests of slots out of loops.
//
// Problem: whether a slot holds an operation is tested in front of every access that could disturb it, also
// in front of short inner loops (a line of a grid), for each slot that is of interest there. Most slots are
// empty most of the time, but testing six of them in front of ten iterations costs more than is ever hidden.
//
// Idea: a slot is filled only by the hooks that post or defer into it. In a loop that calls none of them, a
// slot that is empty before the loop is empty all through it. So one value, computed before the outermost
// such loop from all slots that are tested in it, goes around all tests of neighbouring slots at once:
//
//   before:  for … { if (a) complete(a);  if (b) complete(b);  for … }
//   after:   any = a | b;  for … { if (any) { if (a) complete(a);  if (b) complete(b); }  for … }
//
// Cost: one branch on a value in a register instead of a load, a comparison and a branch per slot; linear in
// the number of tests times the depth of the loops. Nothing changes while a slot is pending.
#pragma once

#include "compiler/pass/rewrite.h"

namespace tacit::compiler {

/// For the tests of these slots that stand in the function. Keeps dominators and loops up to date.
void hoist_pending_tests(llvm::ArrayRef<slot> slots, function_analyses& in);

} // namespace tacit::compiler
