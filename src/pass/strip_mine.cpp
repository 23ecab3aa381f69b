// Problem: MPI makes progress only while it is called, and a long innermost loop calls nothing. A call inside
// it would keep it from being vectorized.
//
//   before:  preheader → body → (done ? exit : body)
//   after:   preheader → chunk → body → (done or counted ? between : body);  between → (done ? exit : more →
//   chunk)
//
// The inner loop still has one exit at its end and a trip count that can be computed (the smaller of two),
// which is what the vectorizer asks for. Every value that goes around the loop goes around both: `chunk` gets
// a phi for each phi of the body. Cost: one comparison per iteration before vectorization; one trip through
// `between` per chunk.
#include "pass/strip_mine.h"

namespace tacit::overlap {

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

llvm::Instruction* run_in_chunks(llvm::Loop& loop, chunk_length length) {
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
  llvm::Value* done = branch->getCondition();
  if (branch->getSuccessor(1) == exit)
    done = at_end.CreateNot(done);
  llvm::Value* full = at_end.CreateICmpEQ(counted, iterations);
  branch->setCondition(at_end.CreateOr(done, full));
  branch->setSuccessor(0, between);
  branch->setSuccessor(1, header);
  branch->setMetadata(llvm::LLVMContext::MD_prof, nullptr);

  exit->replacePhiUsesWith(latch, between);
  llvm::IRBuilder<>(between).CreateCondBr(done, exit, more);
  llvm::IRBuilder<> at_more(more);
  finished->addIncoming(at_more.getInt64(0), preheader);
  finished->addIncoming(at_more.CreateAdd(finished, counted), more);
  return at_more.CreateBr(start);
}

llvm::Instruction* strip_mine(llvm::Loop& loop, std::uint64_t chunk) {
  return run_in_chunks(loop,
                       [&](llvm::IRBuilder<>& at_start, llvm::Value*) { return at_start.getInt64(chunk); });
}

} // namespace tacit::overlap
