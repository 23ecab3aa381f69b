// What instructions and whole loops do to operations that are pending together.
//
// Plain accesses conflict only if they touch the bytes of an operation. Where these bytes are known before the access (or before
// the loop that makes it), a comparison at run time decides; a loop whose accesses move on with its iterations may run until
// the iteration that gets there.
#pragma once

#include "compiler/pass/address_range.h"
#include "compiler/pass/effects.h"
#include "compiler/pass/options.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/IR/Dominators.h>

namespace tacit::compiler {

struct function_analyses {
  llvm::Function& function;
  llvm::DominatorTree& dominators;
  llvm::LoopInfo& loops;
  llvm::ScalarEvolution& evolution;
  llvm::BlockFrequencyInfo& frequencies;
};

/// Bytes that are accessed while the operation is pending, unless that would disturb it.
struct checked_range {
  address_range bytes;
  bool writes = false;
};

using checks = llvm::SmallVector<checked_range, 4>;

enum class loop_conflict : std::uint8_t { clear, unknown, hard };

/// What a loop as a whole does to the operations: nothing but accesses with these ranges (clear), also
/// accesses whose ranges are not known before it (unknown), or something that no comparison can clear
/// (hard).
struct loop_check {
  loop_conflict how = loop_conflict::clear;
  checks ranges;
  conflict cause;
  llvm::Instruction* blocker = nullptr;
};

class pending_conflicts {
public:
  pending_conflicts(llvm::ArrayRef<in_flight> operations, effects& effects, function_analyses& in,
                    const options& options);

  std::optional<conflict> at(llvm::Instruction& at, reach how);
  /// The range of a single access, if comparing it before `before` may find it elsewhere.
  std::optional<checked_range> checkable(const conflict& found, const llvm::Instruction* before);
  loop_check of_loop(const llvm::Loop& loop, const llvm::Instruction& before, reach how);
  /// What single iterations of the loop access, if that moves on with the iterations and begins outside the
  /// buffer: then some may run while the operation is pending. Else, or if the accesses are probably
  /// elsewhere anyway (one comparison before the loop is cheaper), nothing.
  checks in_iterations(const llvm::Loop& loop, reach how);
  /// A loop (or one inside it) that may go on until others have done something, without a call that would let
  /// MPI progress: one without an exit, and one that asks for the time again and again, if nothing says how
  /// often. (Atomic and volatile accesses conflict by themselves; what a loop of other accesses computes no
  /// other thread or rank may change meanwhile.)
  std::optional<conflict> may_wait(const llvm::Loop& loop);
  /// Adds a range, as part of one that begins close to it if there is one: an unrolled loop makes dozens of
  /// neighbours.
  void add_range(checks& ranges, const checked_range& more);

private:
  [[nodiscard]] bool lets_progress(const llvm::Loop& loop) const;
  bool meets_for_sure(const address_range& range);
  bool in_memory_of_operation(const llvm::SCEV* address);
  bool needed_at_entry(const plain_access& access, llvm::BasicBlock& block, const llvm::Loop& nest);

  llvm::ArrayRef<in_flight> operations_;
  effects& effects_;
  function_analyses& in_;
  const options& options_;
  const bool comparable_; ///< whether accesses disturb the operations may be left to comparisons
};

} // namespace tacit::compiler
