// Changing the program: slots, calls of the hooks (src/compiler/hooks/overlap.h), completions where they are
// placed.
#pragma once

#include "compiler/pass/placement.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ValueHandle.h>

namespace tacit::compiler {

/// A slot in the frame of the function, empty at its beginning, and the variable that remembers the pending
/// buffer.
struct slot {
  llvm::AllocaInst* storage = nullptr;
  llvm::AllocaInst* buffer = nullptr;
};

/// Calls a function of src/compiler/hooks.
llvm::CallInst* call_hook(llvm::IRBuilder<>& at, llvm::StringRef name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Value*> operands);
/// The location of an instruction in the source, as check mode tells it: one string for all of a line.
llvm::Value* location_of(const llvm::Instruction& call);

/// For the operations of this call, whose location in the source check mode tells.
slot make_slot(const llvm::Instruction& site, bool watched);
/// A loop that runs while the operation in a slot is pending.
struct window {
  slot pending;
  llvm::Loop* loop = nullptr;
  std::uint64_t iteration_cost = 0, cost = 0; ///< see loop_cost.h
  llvm::Value* iterations = nullptr;          ///< see trip_count
};

/// A completion between the iterations of a loop. The values are those of the first iteration, computed
/// before the loop.
struct split_loop {
  slot pending;
  llvm::Loop* loop = nullptr;
  checked_range range;                          ///< in one iteration
  llvm::WeakTrackingVH buffer, low, high, step; ///< followed when variables become values
  llvm::Value* iterations = nullptr;            ///< see trip_count
};

/// A test in front of an instruction, behind which operations are completed. Slots share it if they make the
/// same comparisons there.
struct guard {
  llvm::WeakTrackingVH before; ///< followed when a call of MPI becomes one of a hook
  llvm::SmallVector<checked_range, 4> unless_apart;
  llvm::BranchInst* test = nullptr; ///< taken if one of the slots is occupied
  llvm::Instruction* end = nullptr; ///< of the block with the completions
  llvm::SmallVector<std::pair<llvm::WeakTrackingVH, llvm::WeakTrackingVH>, 4> ends; ///< of the ranges
};

/// Puts the completions of one placement into the program; those between iterations only get their values
/// computed, and are added to `splits`. `guards`: those of the function so far.
void insert_completions(const slot& at, const placement& placed, function_analyses& in,
                        llvm::SmallVectorImpl<split_loop>& splits, llvm::SmallVectorImpl<guard>& guards);
/// Puts completions between iterations into the program. To be called after all others: dominators and loops
/// have to be recomputed afterwards.
void insert_splits(llvm::ArrayRef<split_loop> splits);
/// Lets MPI progress in these loops: at the end of an iteration, or between chunks of an innermost loop. To
/// be called last (behind insert_splits): dominators and loops have to be recomputed afterwards.
void insert_pokes(llvm::ArrayRef<window> windows);

/// Replaces a blocking MPI_Send, MPI_Recv or MPI_Sendrecv by the hook that posts it into the slot, and returns that call, as all
/// of these do.
llvm::CallInst& split_call(const mpi_site& site, const slot& into);
/// Replaces a blocking collective by the hook that starts it into the slot; `operations` are the pieces of
/// memory that it uses.
llvm::CallInst& start_collective(const mpi_site& site, const slot& into,
                                 llvm::ArrayRef<in_flight> operations);
/// Completes sends from copies where they have to be complete, unless another one has to be complete there, too.
void complete_copies(const placement& placed, function_analyses& in,
                     llvm::SmallPtrSetImpl<const llvm::Instruction*>& before);
/// Replaces MPI_Send by the hook that sends from a copy.
void rename_send(const mpi_site& site);
/// Replaces MPI_Wait by moving its request into the slot.
llvm::CallInst& defer_wait(const mpi_site& site, const slot& into, llvm::ArrayRef<in_flight> operations,
                           bool ranges);
/// Replaces MPI_Waitall by moving all of its requests into the slot.
llvm::CallInst& defer_waitall(const mpi_site& site, const slot& into, llvm::ArrayRef<in_flight> operations,
                              bool ranges);
/// Moves one request of an MPI_Waitall that stays into the slot.
void defer_element(const mpi_site& waitall, llvm::Value* request, const slot& into,
                   llvm::ArrayRef<in_flight> operations, bool ranges);

/// Turns the variables that remember buffers into values.
void promote_buffers(llvm::ArrayRef<slot> slots, llvm::DominatorTree& dominators);

} // namespace tacit::compiler
