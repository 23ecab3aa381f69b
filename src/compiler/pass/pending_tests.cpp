#include "compiler/pass/pending_tests.h"

#include <cassert>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace tacit::compiler {

namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Loop;

/// %word = load i32, ptr %slot; %full = icmp ne i32 %word, 0; br i1 %full, label %complete, label %behind
/// or, for slots that are completed together, the same with the words of all of them (`or`) instead of one.
struct slot_test {
  llvm::SmallVector<AllocaInst*, 4> tested;
  llvm::LoadInst* word = nullptr; ///< the first one
  BasicBlock* behind = nullptr;
};

/// Tests of which each begins where the one before it ends.
struct chain {
  llvm::SmallSetVector<AllocaInst*, 4> slots;
  llvm::LoadInst* first = nullptr;
  BasicBlock* behind = nullptr;
};

/// Collects the loads below `words`, from left to right; false if there is something else.
bool collect_words(llvm::Value* words, llvm::SmallVectorImpl<llvm::LoadInst*>& into) {
  if (!words->hasOneUse())
    return false;
  if (auto* word = llvm::dyn_cast<llvm::LoadInst>(words)) {
    into.push_back(word);
    return llvm::isa<AllocaInst>(word->getPointerOperand());
  }
  auto* both = llvm::dyn_cast<llvm::BinaryOperator>(words);
  return both && both->getOpcode() == llvm::Instruction::Or && collect_words(both->getOperand(0), into) &&
         collect_words(both->getOperand(1), into);
}

std::optional<slot_test> test_of(llvm::User* user) {
  auto* word = llvm::dyn_cast<llvm::LoadInst>(user);
  auto* branch = word ? llvm::dyn_cast<llvm::BranchInst>(word->getParent()->getTerminator()) : nullptr;
  auto* full =
      branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  llvm::SmallVector<llvm::LoadInst*, 4> words;
  if (!full || full->getNextNode() != branch || !collect_words(full->getOperand(0), words) ||
      !llvm::is_contained(words, word))
    return std::nullopt;
  // Nothing else may stand among loads, ors and comparison: it would be skipped, too.
  slot_test test{{}, words.front(), branch->getSuccessor(1)};
  if (words.front()->getParent() != branch->getParent() ||
      std::distance(words.front()->getIterator(), branch->getIterator()) !=
          static_cast<std::ptrdiff_t>(2 * words.size()))
    return std::nullopt;
  for (llvm::LoadInst* one : words)
    test.tested.push_back(llvm::cast<AllocaInst>(one->getPointerOperand()));
  return test;
}

bool only_empties(const llvm::CallBase& hook) {
  const llvm::Function* callee = hook.getCalledFunction();
  return callee && llvm::StringSwitch<bool>(callee->getName())
                       .Cases("__tacit_wait", "__tacit_wait_overlap", "__tacit_until", "__tacit_poke", true)
                       .Default(false);
}

class hoister {
public:
  explicit hoister(function_analyses& in) : in_(in) {}

  void run(llvm::ArrayRef<slot> slots) {
    for (const slot& one : slots)
      look_at(*one.storage);
    llvm::MapVector<Loop*, llvm::SmallVector<chain, 4>> of_loop;
    for (const auto& [word, test] : tests_)
      if (!follows_another(*word))
        if (chain all = chain_from(test); Loop* loop = outermost_for(all))
          of_loop[loop].push_back(std::move(all));
    for (auto& [loop, chains] : of_loop)
      hoist(*loop, chains);
  }

private:
  void look_at(AllocaInst& storage) {
    for (llvm::User* user : storage.users()) {
      if (const auto test = test_of(user)) {
        tests_[test->word] = *test;
        behind_tests_.insert(test->behind);
      } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && !only_empties(*call))
        filled_[&storage].push_back(call->getParent());
    }
  }

  [[nodiscard]] bool follows_another(const llvm::LoadInst& word) const {
    return &word.getParent()->front() == &word && behind_tests_.contains(word.getParent());
  }

  chain chain_from(const slot_test& head) {
    chain all;
    all.first = head.word;
    const slot_test* one = &head;
    while (true) {
      all.slots.insert(one->tested.begin(), one->tested.end());
      all.behind = one->behind;
      auto* next = llvm::dyn_cast<llvm::LoadInst>(&all.behind->front());
      const auto found = next ? tests_.find(next) : tests_.end();
      if (found == tests_.end())
        return all;
      one = &found->second;
    }
  }

  /// The outermost loop around the tests in which none of their slots is filled.
  Loop* outermost_for(const chain& all) {
    Loop* outermost = nullptr;
    for (Loop* loop = in_.loops.getLoopFor(all.first->getParent()); loop; loop = loop->getParentLoop()) {
      const bool filled = llvm::any_of(all.slots, [&](const AllocaInst* one) {
        return llvm::any_of(filled_.lookup(one), [&](const BasicBlock* at) { return loop->contains(at); });
      });
      if (filled)
        break;
      if (loop->getLoopPreheader())
        outermost = loop;
    }
    return outermost;
  }

  void hoist(Loop& loop, llvm::ArrayRef<chain> chains) {
    llvm::SmallSetVector<AllocaInst*, 8> tested;
    for (const chain& one : chains)
      tested.insert(one.slots.begin(), one.slots.end());
    llvm::IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
    llvm::Value* words = nullptr;
    for (AllocaInst* one : tested) {
      llvm::Value* word = before.CreateLoad(before.getInt32Ty(), one, "tacit.pending");
      words = words ? before.CreateOr(words, word) : word;
    }
    assert(words); // every chain has tests
    llvm::Value* any = before.CreateIsNotNull(words, "tacit.any");
    llvm::DomTreeUpdater dominators(in_.dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
    for (const chain& one : chains) {
      BasicBlock* head = one.first->getParent();
      BasicBlock* tests = llvm::SplitBlock(head, one.first, &dominators, &in_.loops);
      llvm::Instruction* old = head->getTerminator();
      llvm::IRBuilder<> at(old);
      at.SetCurrentDebugLocation(one.first->getDebugLoc());
      at.CreateCondBr(any, tests, one.behind);
      old->eraseFromParent();
      dominators.applyUpdates({{llvm::DominatorTree::Insert, head, one.behind}});
    }
  }

  function_analyses& in_;
  llvm::MapVector<llvm::LoadInst*, slot_test> tests_;
  llvm::SmallPtrSet<const BasicBlock*, 16> behind_tests_;
  llvm::DenseMap<const AllocaInst*, llvm::SmallVector<BasicBlock*, 4>> filled_;
};

} // namespace

void hoist_pending_tests(llvm::ArrayRef<slot> slots, function_analyses& in) {
  hoister(in).run(slots);
}

} // namespace tacit::compiler
