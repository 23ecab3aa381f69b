// The remarks of one look at a module, kept until it is known which of them hold. Inlining, LLVM's before and ours, makes
// several calls out of one in the source: what is said about them is said once, and that one of them stays is not said where
// another one moved.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

namespace tacit::compiler {

/// Gives the MPI calls of the module numbers, which stay with their copies. Calls of one line and column in the source have
/// numbers of their own, but count as one where something is said about them.
void number_calls(llvm::Module& module);
void forget_numbers(llvm::Module& module);
/// Zero if the call has none.
unsigned number_of(const llvm::CallBase& call);

using call_numbers = llvm::DenseSet<unsigned>;

struct kept_remark {
  unsigned call = 0; ///< its number
  const llvm::Function* in = nullptr;
  bool moved = false;
  std::uint64_t window = 0;                                   ///< instructions that run meanwhile
  std::unique_ptr<llvm::DiagnosticInfoOptimizationBase> text; ///< none if nobody reads it
};

class remark_book {
public:
  void add(kept_remark one) { kept_.push_back(std::move(one)); }
  [[nodiscard]] llvm::ArrayRef<kept_remark> all() const { return kept_; }

  /// Emits those about the functions that `about` is true of, while these are there. Nothing is said about calls
  /// that stay and are `moved_elsewhere`.
  void emit(llvm::function_ref<bool(const llvm::Function&)> about, const call_numbers& moved_elsewhere) const;

private:
  std::vector<kept_remark> kept_;
};

} // namespace tacit::compiler
