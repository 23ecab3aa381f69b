// Loops in chunks: places for progress calls and completions that leave the vectorizer its loop.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace tacit::overlap {

/// True if the loop has a preheader and its only exit at its end, as run_in_chunks needs it.
bool can_be_chunked(const llvm::Loop& loop);

/// Computes how many iterations (at least 1) the chunk that begins here has; the second argument: how many
/// have run before.
using chunk_length = llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*)>;

/// Turns a loop into two nested ones, of which the inner runs a chunk of iterations at most, and returns the
/// point that is reached between two chunks; nullptr (and no change) if it cannot be chunked. The caller has
/// to recompute dominators and loops.
llvm::Instruction* run_in_chunks(llvm::Loop& loop, chunk_length length);
/// The same with chunks of one length.
llvm::Instruction* strip_mine(llvm::Loop& loop, std::uint64_t chunk);

} // namespace tacit::overlap
