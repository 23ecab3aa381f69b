// Loops in chunks: points for progress calls and completions that leave the vectorizer its loop.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>

namespace tacit::compiler {

/// True if the loop has a preheader and its only exit at its end, as run_in_chunks needs it.
bool can_be_chunked(const llvm::Loop& loop);

/// Computes how many iterations (at least 1) the chunk that begins here has; the second argument: how many
/// have run before.
using chunk_length = llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*)>;

/// The number of iterations of a loop that can be chunked, computed before it; nullptr if that is not
/// possible.
llvm::Value* trip_count(llvm::Loop& loop, llvm::ScalarEvolution& evolution);

/// Turns a loop into two nested ones, of which the inner runs a chunk of iterations at most, and returns the
/// point that is reached between two chunks (`total`: see trip_count, may be nullptr); nullptr (and no
/// change) if it cannot be chunked. The caller has to recompute dominators and loops.
llvm::Instruction* run_in_chunks(llvm::Loop& loop, chunk_length length, llvm::Value* total);
/// The same with chunks of one length.
llvm::Instruction* strip_mine(llvm::Loop& loop, std::uint64_t chunk, llvm::Value* total);

} // namespace tacit::compiler
