// Loops in chunks: the place for progress calls that leaves the vectorizer its loop.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

namespace tacit::overlap {

/// Turns an innermost loop into two nested ones, of which the inner runs `chunk` iterations at most, and
/// returns the point that is reached between two chunks; nullptr (and no change) if the loop does not have
/// its only exit at its end. The caller has to recompute dominators and loops.
llvm::Instruction* strip_mine(llvm::Loop& loop, std::uint64_t chunk);

} // namespace tacit::overlap
