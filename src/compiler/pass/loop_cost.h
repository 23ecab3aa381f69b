// How long loops run, in instructions, as far as the compiler can tell.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <cstdint>

namespace tacit::compiler {

/// Of one iteration, inner loops included.
std::uint64_t iteration_cost(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);
/// Of all iterations: their known maximum, or 64 if nothing is known.
std::uint64_t loop_cost(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

} // namespace tacit::compiler
