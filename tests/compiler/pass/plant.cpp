// Errors planted in the overlap pass for the random programs to find. A plugin, loaded before the pass and
// again behind it: the first time it tells LLVM something wrong about the program, so that the pass knows
// what is not true; the second time it takes that back, so that nothing else is misled. TACIT_TEST_PLANT
// chooses:
//   calls   routines of the program read and write nothing
//   alias   the pointers that a routine gets point to memory of their own
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdlib>

namespace {

using llvm::Attribute;

bool planted(llvm::StringRef what) {
  const char* asked = std::getenv("TACIT_TEST_PLANT");
  return asked && what == asked;
}

// Calls of routines that have a body in the module or in another file of the program.
template <class F>
void each_call(llvm::Module& module, F change) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& at : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&at);
          call && call->getCalledFunction() && call->getType()->isVoidTy() &&
          call->getCalledFunction()->getName().starts_with("touch_"))
        change(*call);
}

class plant : public llvm::PassInfoMixin<plant> {
public:
  explicit plant(bool takes_back) : takes_back_(takes_back) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (planted("calls"))
      each_call(module, [this](llvm::CallInst& call) { lie_about(call); });
    if (planted("alias"))
      for (llvm::Function& function : module)
        if (function.getName().starts_with("program_"))
          for (llvm::Argument& argument : function.args())
            lie_about(argument);
    return llvm::PreservedAnalyses::none();
  }

private:
  // `willreturn`, too, as else the call might never return, which conflicts. (What is inlined is simplified meanwhile: there a call that does
  // nothing for sure may be removed, which shows as well.)
  void lie_about(llvm::CallInst& call) const {
    if (takes_back_) {
      call.removeFnAttr(Attribute::Memory);
      call.removeFnAttr(Attribute::WillReturn);
    } else {
      call.setMemoryEffects(llvm::MemoryEffects::none());
      call.setDoesNotThrow();
      call.addFnAttr(Attribute::WillReturn);
    }
  }

  void lie_about(llvm::Argument& argument) const {
    if (!argument.getType()->isPointerTy())
      return;
    if (takes_back_)
      argument.removeAttr(Attribute::NoAlias);
    else
      argument.addAttr(Attribute::NoAlias);
  }

  bool takes_back_;
};

void add_to_pipelines(llvm::PassBuilder& builder) {
  static bool again = false; // loaded twice
  const bool takes_back = again;
  again = true;
  builder.registerOptimizerEarlyEPCallback(
      [takes_back](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(plant(takes_back));
      });
}

} // namespace

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "plant", LLVM_VERSION_STRING, add_to_pipelines};
}
