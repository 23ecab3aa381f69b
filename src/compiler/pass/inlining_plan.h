// Which inlining is worth its copies: only what moves a completion that would stay, or that would move less far.
//
// Idea: everything is tried on copies of the module, with MPI-directed inlining and without. A function keeps what
// is inlined into it if one of its calls does better then; what was inlined into the routines that came into it
// belongs to that. All other functions stay as they are, so that a module in which nothing moves comes out
// unchanged. Cost: the copies, one after the other, and the pass once more for each; nothing is inlined, or
// compiled afterwards, in vain.
#pragma once

#include "compiler/pass/remark_book.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace tacit::compiler {

using function_set = llvm::SmallPtrSet<const llvm::Function*, 16>;

/// What one look at a module came to, in terms of the functions of the program itself.
struct trial {
  function_set changed;                                         ///< something moved in them
  llvm::DenseMap<const llvm::Function*, function_set> taken_in; ///< by function: the routines inlined into it
  function_set messengers;                                      ///< routines with messages that stay routines
  llvm::DenseMap<const llvm::Function*, llvm::DenseMap<unsigned, std::uint64_t>>
      windows; ///< by function and number of call: what runs meanwhile where it moved
};

/// What is to be done to the program.
struct inlining_plan {
  function_set changes;  ///< the pass changes these functions only
  function_set takes_in; ///< routines are inlined into these only
  function_set inlined;  ///< these routines are
  function_set messengers;

  [[nodiscard]] bool concerns(const llvm::Function& function) const {
    return takes_in.contains(&function) || inlined.contains(&function);
  }
};

/// The plan that does as the trial did.
inlining_plan plan_of(const trial& with_inlining);
/// The plan that inlines where that gains something over the trial without.
inlining_plan plan_of(const trial& with_inlining, const trial& without);

/// The numbers of the calls that move in the functions of the plan.
call_numbers moved_by(const inlining_plan& plan, const trial& one);

} // namespace tacit::compiler
