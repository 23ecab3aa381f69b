// MPI-directed inlining (seed 001, section 3.1: "by applying the wait sinking algorithm after aggressive
// inlining").
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace tacit::overlap {

/// Inlines routines that post or complete messages into their callers within the module, from the leaves up,
/// as long as they are not recursive and the callers do not grow too much. Returns the functions that
/// changed. `collectives`: also routines that call collectives.
llvm::SmallPtrSet<llvm::Function*, 16> inline_mpi_routines(llvm::Module& module, bool collectives);

/// Inlines these calls, as far as the same limits allow. Returns true if it inlined one.
bool inline_routines(llvm::ArrayRef<llvm::CallBase*> calls);

/// True if the function calls MPI to send, receive or complete, or (if asked) a collective of MPI.
bool has_messages(const llvm::Function& function, bool collectives);

} // namespace tacit::overlap
