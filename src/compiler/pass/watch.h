// What a file says that is compiled for check mode: each access, call and return says where it is, in front of
// itself, to src/compiler/hooks/watch.c, which knows what is pending.
#pragma once

#include "compiler/pass/rewrite.h"

namespace tacit::compiler {

/// What a call writes, or returns, that the hook in its place does not know yet.
struct unseen_results {
  llvm::Value* statuses = nullptr;
  llvm::Value* count = nullptr; ///< of statuses; null: one
  llvm::Value* ierror = nullptr;
  bool by_reference = false; ///< the count, as in Fortran
};

/// To be asked while the call is there.
unseen_results unseen_by(const mpi_site& site);
/// Lets looks at these results be seen, from the hook on.
void watch_results(llvm::CallInst& hook, const slot& into, const unseen_results& results);
/// The same for the status of a request that was taken out of a Waitall, from behind it on.
void watch_status_of_element(llvm::CallBase& waitall, const slot& into, const unseen_results& results,
                             unsigned element);
/// Lets be seen what is pending in these slots, which are those of the function, where it returns, and where it calls
/// or does what may do anything; also what it sends from copies.
void watch_slots(llvm::Function& function, llvm::ArrayRef<slot> slots, bool copies);
/// Lets accesses to memory be seen, and calls that tell others something. `synchronous`: receives tell something, too
/// (exposure::synchronous_sends). True if there are any.
bool watch_module(llvm::Module& module, bool synchronous);

} // namespace tacit::compiler
