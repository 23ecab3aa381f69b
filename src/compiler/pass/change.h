// Changing: carries out decisions (decide.h), with the means of rewrite.h.
#pragma once

#include "compiler/pass/decide.h"
#include "compiler/pass/rewrite.h"

namespace tacit::compiler {

/// Changes one function, decision after decision.
class changer {
public:
  changer(function_analyses& in, const options& options) : in_(in), options_(options) {}

  /// Carries out what was decided for the site, whose call may be gone afterwards; nothing if it stays.
  void apply(const decision& made);
  /// Takes one request out of a Waitall, which stays. `request`: its address.
  void take_out(const mpi_site& waitall, unsigned which, llvm::Value* request, const element& one);
  /// Puts in what concerns all slots of the function. To be called once, last. Returns true if anything
  /// changed.
  bool finish();

private:
  slot new_slot(const llvm::Instruction& site);
  void complete_at(const placement& placed, const slot& into);
  void changed();

  function_analyses& in_;
  const options& options_;
  llvm::SmallVector<slot, 8> slots_;
  llvm::SmallVector<window, 8> windows_;
  llvm::SmallVector<split_loop, 8> splits_;
  llvm::SmallVector<guard, 16> guards_;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> copies_complete_; ///< before these
  bool copies_ = false;                                            ///< something is sent from a copy
  bool changed_ = false;
};

} // namespace tacit::compiler
