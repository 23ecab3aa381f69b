// The bytes that an access inside a loop nest may touch in all iterations together, as an expression that can
// be computed before the nest.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <optional>

namespace tacit::compiler {

struct address_range {
  const llvm::SCEV* low = nullptr;  ///< first byte
  const llvm::SCEV* high = nullptr; ///< one past the last byte
};

/// The range of `bytes` at `pointer` over all iterations of `nest` (or at the one point `before`, if nest is
/// nullptr), computable before the instruction `before`; nothing if it is not affine in the nest, or not
/// known there.
std::optional<address_range> range_of(llvm::Value* pointer, std::uint64_t bytes, const llvm::Loop* nest,
                                      const llvm::Instruction* before, llvm::ScalarEvolution& evolution);

/// The range of `bytes` at `pointer` in one iteration of `loop`: both ends as expressions that advance by the
/// same step with each iteration (or stay), whose beginning and step can be computed before the loop. Nothing
/// if there are none.
std::optional<address_range> range_in_iteration(llvm::Value* pointer, std::uint64_t bytes,
                                                const llvm::Loop& loop, llvm::ScalarEvolution& evolution);
/// The value of such an end in the first iteration, and what it advances by.
const llvm::SCEV* first_value(const llvm::SCEV* end);
const llvm::SCEV* step_of(const llvm::SCEV* end, llvm::ScalarEvolution& evolution);

} // namespace tacit::compiler
