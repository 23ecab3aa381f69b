// MPI-directed inlining (seed 001, section 3.1: "by applying the wait sinking algorithm after aggressive
// inlining").
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace tacit::compiler {

/// The functions with a body that do not call themselves, callees before their callers.
llvm::SmallVector<llvm::Function*, 32> callees_first(llvm::Module& module);

/// The direct calls of a function.
llvm::SmallVector<llvm::CallBase*, 8> calls_of(llvm::Function& function);

/// True if inlining the call makes no second copy of the routine: nobody else can reach it.
bool moves_the_only_copy(const llvm::CallBase& call);

/// Inlines these calls, as far as the same limits allow. Returns true if it inlined one.
bool inline_routines(llvm::ArrayRef<llvm::CallBase*> calls);

/// True if the function calls MPI to send, receive or complete, or (if asked) a collective of MPI.
bool has_messages(const llvm::Function& function, bool collectives);

} // namespace tacit::compiler
