#include "compiler/pass/loop_cost.h"

#include <algorithm>

namespace tacit::compiler {

namespace {

constexpr std::uint64_t iterations_guess = 64;
constexpr std::uint64_t most_iterations = 1 << 20; // that nests cannot overflow with

bool in_inner_loop(const llvm::Loop& loop, const llvm::BasicBlock* block) {
  return std::any_of(loop.begin(), loop.end(),
                     [&](const llvm::Loop* inner) { return inner->contains(block); });
}

} // namespace

std::uint64_t iteration_cost(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  std::uint64_t cost = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    if (!in_inner_loop(loop, block))
      cost += block->size();
  for (const llvm::Loop* inner : loop)
    cost += loop_cost(*inner, evolution);
  return cost;
}

std::uint64_t loop_cost(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const std::uint64_t trips = evolution.getSmallConstantMaxTripCount(&loop);
  return iteration_cost(loop, evolution) * (trips != 0 ? std::min(trips, most_iterations) : iterations_guess);
}

} // namespace tacit::compiler
