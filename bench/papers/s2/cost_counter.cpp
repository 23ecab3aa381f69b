// Makes simulated runs deterministic: the program itself counts what its computation costs.
//
// A simulator that measures the host charges each rank for noise. Here every basic block adds the cost that
// LLVM's model of the target gives to its instructions (target transform info, reciprocal throughput) to a
// counter, and before each call of MPI the counter is handed to `tacit_charge` (charge.c), which lets the
// simulated processor compute for that long:
//
//   before:  loop: …20 units…; br loop        after:  loop: spent += 20; …; br loop
//            MPI_Send(…)                              tacit_charge(spent); spent = 0; MPI_Send(…)
//
// The counter is a local variable, promoted to a register. It moves to the global counter of the process
// before a call of other counted code (the hooks are), and at every return. Copies whose length is known at
// run time only cost their length. The pass stands at the end of the optimizer, so that it counts what will
// run: vector code where loops were vectorized, and the computation between the places to which the overlap
// pass has moved completions.
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace {

using llvm::Instruction;

constexpr std::uint64_t copied_per_unit = 8; // bytes; one load and one store of a word

/// What has to be charged before a call can happen.
enum class duty { none, keep, charge, charge_last };

bool is_mpi(llvm::StringRef name) {
  return name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("mpi_");
}

/// The hooks, and the part of them in charge.c: counted code of other files.
bool is_ours(llvm::StringRef name) {
  return name.starts_with("__tacit_") || name.starts_with("tacit_");
}

duty duty_of(const llvm::CallBase& call) {
  if (llvm::isa<llvm::IntrinsicInst>(call) || call.isInlineAsm())
    return duty::none;
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee)
    return duty::keep;
  if (callee->getName().equals_insensitive("mpi_finalize") || callee->getName() == "mpi_finalize_")
    return duty::charge_last;
  if (is_mpi(callee->getName()))
    return duty::charge;
  return callee->isDeclaration() && !is_ours(callee->getName()) ? duty::none : duty::keep;
}

class function_counter {
public:
  function_counter(llvm::Function& function, const llvm::TargetTransformInfo& costs)
      : function_(function), costs_(costs), units_(llvm::Type::getInt64Ty(function.getContext())) {}

  void run() {
    llvm::IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
    spent_ = entry.CreateAlloca(units_, nullptr, "spent");
    entry.CreateStore(entry.getInt64(0), spent_);
    function_.setMemoryEffects(llvm::MemoryEffects::unknown());
    for (llvm::BasicBlock& block : function_)
      count(block);
    llvm::DominatorTree dominators(function_);
    llvm::PromoteMemToReg({spent_}, dominators);
  }

private:
  void count(llvm::BasicBlock& block) {
    std::uint64_t cost = 0;
    llvm::SmallVector<Instruction*, 32> instructions;
    for (Instruction& at : block)
      if (&at != spent_)
        instructions.push_back(&at);
    for (Instruction* at : instructions) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(at); store && store->getPointerOperand() == spent_)
        continue;
      cost += cost_of(*at);
      if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(at))
        add_length(*copy);
      auto* call = llvm::dyn_cast<llvm::CallBase>(at);
      const duty what = call ? duty_of(*call) : duty::none;
      if (what != duty::none) {
        touches_counter(*call);
        add(*at, cost);
        cost = 0;
        what == duty::keep ? keep(*at) : charge(*at, what);
      }
    }
    Instruction& end = *block.getTerminator();
    add(end, cost);
    if (llvm::isa<llvm::ReturnInst, llvm::ResumeInst>(end))
      keep(end);
  }

  std::uint64_t cost_of(const Instruction& at) const {
    if (at.isDebugOrPseudoInst())
      return 0;
    const auto cost =
        costs_.getInstructionCost(&at, llvm::TargetTransformInfo::TCK_RecipThroughput).getValue();
    return cost && *cost > 0 ? static_cast<std::uint64_t>(*cost) : 0;
  }

  /// Counted code has a memory effect that its attributes, found or promised before, do not know.
  static void touches_counter(llvm::CallBase& call) {
    call.setMemoryEffects(llvm::MemoryEffects::unknown());
    if (llvm::Function* callee = call.getCalledFunction())
      callee->setMemoryEffects(llvm::MemoryEffects::unknown());
  }

  void add_length(llvm::MemIntrinsic& copy) {
    llvm::IRBuilder<> at(&copy);
    llvm::Value* length = at.CreateZExtOrTrunc(copy.getLength(), units_);
    at.CreateStore(
        at.CreateAdd(at.CreateLoad(units_, spent_), at.CreateUDiv(length, at.getInt64(copied_per_unit))),
        spent_);
  }

  void add(Instruction& before, std::uint64_t cost) {
    if (cost == 0)
      return;
    llvm::IRBuilder<> at(&before);
    at.CreateStore(at.CreateAdd(at.CreateLoad(units_, spent_), at.getInt64(cost)), spent_);
  }

  void keep(Instruction& before) {
    llvm::IRBuilder<> at(&before);
    llvm::Value* all = function_.getParent()->getOrInsertGlobal("tacit_spent", units_);
    at.CreateStore(at.CreateAdd(at.CreateLoad(units_, all), at.CreateLoad(units_, spent_)), all);
    at.CreateStore(at.getInt64(0), spent_);
  }

  void charge(Instruction& before, duty what) {
    llvm::IRBuilder<> at(&before);
    const auto callee = function_.getParent()->getOrInsertFunction(
        what == duty::charge_last ? "tacit_charge_last" : "tacit_charge", at.getVoidTy(), units_);
    at.CreateCall(callee, {at.CreateLoad(units_, spent_)});
    at.CreateStore(at.getInt64(0), spent_);
  }

  llvm::Function& function_;
  const llvm::TargetTransformInfo& costs_;
  llvm::IntegerType* units_;
  llvm::AllocaInst* spent_ = nullptr;
};

class cost_counter : public llvm::PassInfoMixin<cost_counter> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& modules) {
    auto& functions = modules.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    llvm::SmallVector<llvm::Function*, 32> defined;
    for (llvm::Function& function : module)
      if (!function.isDeclaration())
        defined.push_back(&function);
    for (llvm::Function* function : defined)
      function_counter(*function, functions.getResult<llvm::TargetIRAnalysis>(*function)).run();
    return llvm::PreservedAnalyses::none();
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {
      LLVM_PLUGIN_API_VERSION, "cost-counter", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
        builder.registerOptimizerLastEPCallback(
            [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(cost_counter()); });
      }};
}
