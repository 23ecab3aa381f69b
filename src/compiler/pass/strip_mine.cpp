// Problem: MPI makes progress only while it is called, and a long innermost loop calls nothing. A call inside
// it would keep it from being vectorized.
//
//   before:  preheader → body → (done ? exit : body)
//   after:   preheader → chunk → body → (done or counted ? between : body);  between → (done ? exit : more →
//   chunk)
//
// The inner loop still has one exit at its end and a trip count that can be computed (the smaller of two),
// which is what the vectorizer asks for. Where the number of iterations is known before the loop, the inner
// loop counts up to the smaller of two numbers and tests nothing else. Every value that goes around the loop
// goes around both: `chunk` gets a phi for each phi of the body. Cost: counting (and, if the number is not
// known, one more comparison) per iteration; one trip through `between` per chunk.
#include "compiler/pass/strip_mine.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace tacit::compiler {

namespace {

using llvm::BasicBlock;

/// Exit condition of a loop whose only exit is the conditional branch at its end.
struct bottom_exit {
  llvm::BranchInst* branch = nullptr;
  BasicBlock* exit = nullptr;
};

bottom_exit bottom_exit_of(const llvm::Loop& loop) {
  BasicBlock* latch = loop.getLoopLatch();
  if (!loop.getLoopPreheader() || !latch || loop.getExitingBlock() != latch || !loop.getExitBlock())
    return {};
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  return branch && branch->isConditional() ? bottom_exit{branch, loop.getExitBlock()} : bottom_exit{};
}

} // namespace

bool can_be_chunked(const llvm::Loop& loop) {
  const auto [branch, exit] = bottom_exit_of(loop);
  return branch && exit->getSinglePredecessor(); // LoopSimplify gives every loop an exit of its own
}

llvm::Value* trip_count(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV* back = evolution.getBackedgeTakenCount(&loop);
  if (!can_be_chunked(loop) || llvm::isa<llvm::SCEVCouldNotCompute>(back) ||
      evolution.getTypeSizeInBits(back->getType()) > 64)
    return nullptr;
  llvm::Instruction* before = loop.getLoopPreheader()->getTerminator();
  llvm::SCEVExpander expander(evolution, before->getModule()->getDataLayout(), "tacit.trips");
  if (!expander.isSafeToExpandAt(back, before))
    return nullptr;
  llvm::IRBuilder<> at(before);
  llvm::Value* value = expander.expandCodeFor(back, nullptr, before);
  return at.CreateAdd(at.CreateZExt(value, at.getInt64Ty()), at.getInt64(1));
}

llvm::Instruction* run_in_chunks(llvm::Loop& loop, chunk_length length, llvm::Value* total) {
  if (!can_be_chunked(loop))
    return nullptr;
  const auto [branch, exit] = bottom_exit_of(loop);
  BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader(), *latch = loop.getLoopLatch();
  llvm::Function& function = *header->getParent();
  BasicBlock* start = BasicBlock::Create(function.getContext(), "tacit.chunk", &function, header);
  BasicBlock* between = BasicBlock::Create(function.getContext(), "tacit.between", &function, exit);
  BasicBlock* more = BasicBlock::Create(function.getContext(), "tacit.more", &function, exit);

  llvm::IRBuilder<> at_start(start);
  for (llvm::PHINode& around : header->phis()) {
    llvm::PHINode* outer = at_start.CreatePHI(around.getType(), 2, around.getName() + ".chunk");
    outer->addIncoming(around.getIncomingValueForBlock(preheader), preheader);
    outer->addIncoming(around.getIncomingValueForBlock(latch), more);
    around.setIncomingValueForBlock(preheader, outer);
  }
  llvm::PHINode* finished = at_start.CreatePHI(at_start.getInt64Ty(), 2, "tacit.finished");
  llvm::Value* iterations = length(at_start, finished);
  if (total)
    iterations = at_start.CreateBinaryIntrinsic(llvm::Intrinsic::umin, iterations,
                                                at_start.CreateSub(total, finished));
  at_start.CreateBr(header);
  header->replacePhiUsesWith(preheader, start);
  preheader->getTerminator()->replaceSuccessorWith(header, start);

  // By iterator, so that debug records at the head of the block stay behind the phis.
  llvm::IRBuilder<> at_header(header, header->begin());
  llvm::PHINode* counter = at_header.CreatePHI(at_header.getInt64Ty(), 2, "tacit.counter");
  llvm::IRBuilder<> at_end(branch);
  llvm::Value* counted = at_end.CreateNUWAdd(counter, at_end.getInt64(1));
  counter->addIncoming(at_end.getInt64(0), start);
  counter->addIncoming(counted, latch);
  llvm::Value* full = at_end.CreateICmpEQ(counted, iterations);
  llvm::Value* done = nullptr;
  if (!total) {
    done = branch->getCondition();
    if (branch->getSuccessor(1) == exit)
      done = at_end.CreateNot(done);
    full = at_end.CreateOr(done, full);
  }
  branch->setCondition(full);
  branch->setSuccessor(0, between);
  branch->setSuccessor(1, header);
  branch->setMetadata(llvm::LLVMContext::MD_prof, nullptr);

  exit->replacePhiUsesWith(latch, between);
  llvm::IRBuilder<> at_between(between);
  llvm::Value* ran = at_between.CreateAdd(finished, counted);
  at_between.CreateCondBr(total ? at_between.CreateICmpEQ(ran, total) : done, exit, more);
  llvm::IRBuilder<> at_more(more);
  finished->addIncoming(at_more.getInt64(0), preheader);
  finished->addIncoming(ran, more);
  return at_more.CreateBr(start);
}

llvm::Instruction* strip_mine(llvm::Loop& loop, std::uint64_t chunk, llvm::Value* total) {
  const auto length = [&](llvm::IRBuilder<>& at_start, llvm::Value*) { return at_start.getInt64(chunk); };
  return run_in_chunks(loop, length, total);
}

} // namespace tacit::compiler
