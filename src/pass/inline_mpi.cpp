// Order: the strongly connected components of the call graph from the leaves up, so that a routine is inlined
// with what was inlined into it before. Cost: linear in the code that results, which the two limits bound.
#include "pass/inline_mpi.h"

#include "pass/mpi_site.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace tacit::overlap {

namespace {

constexpr unsigned max_callee = 3000;  // instructions of a routine that is inlined
constexpr unsigned max_caller = 30000; // instructions of a routine that others are inlined into

bool may_be_inlined(const llvm::Function& function) {
  return function.hasExactDefinition() && !function.hasFnAttribute(llvm::Attribute::NoInline) &&
         !function.hasOptNone() && function.getInstructionCount() <= max_callee && !function.isVarArg();
}

/// As LLVM's inliner asks: the code of both is made for the same processor and by the same rules.
bool are_compatible(const llvm::Function& caller, const llvm::Function& routine) {
  const auto same = [&](llvm::StringRef attribute) {
    return caller.getFnAttribute(attribute) == routine.getFnAttribute(attribute);
  };
  return same("target-cpu") && same("target-features") &&
         llvm::AttributeFuncs::areInlineCompatible(caller, routine);
}

bool inline_call(llvm::CallBase& call) {
  llvm::Function& routine = *call.getCalledFunction();
  const llvm::Function& caller = *call.getFunction();
  if (&caller == &routine || !may_be_inlined(routine) || caller.hasOptNone() || call.isNoInline() ||
      call.isMustTailCall() || !are_compatible(caller, routine) ||
      !llvm::isInlineViable(routine).isSuccess() ||
      caller.getInstructionCount() + routine.getInstructionCount() > max_caller)
    return false;
  llvm::InlineFunctionInfo info;
  return llvm::InlineFunction(call, info, /*MergeAttributes=*/true).isSuccess();
}

} // namespace

bool has_messages(const llvm::Function& function, bool collectives) {
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& at : block)
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(const_cast<llvm::Instruction*>(&at)))
        if (const auto site = recognise(*call))
          switch (site->row->kind) {
          case call_class::send:
          case call_class::recv:
          case call_class::sendrecv:
          case call_class::isend:
          case call_class::irecv:
          case call_class::isendrecv:
          case call_class::start:
          case call_class::complete:
            return true;
          case call_class::collective:
            if (collectives)
              return true;
            break;
          default:
            break;
          }
  return false;
}

llvm::SmallPtrSet<llvm::Function*, 16> inline_mpi_routines(llvm::Module& module, bool collectives) {
  llvm::SmallVector<llvm::Function*, 32> order;
  {
    llvm::CallGraph calls(module);
    for (auto component = llvm::scc_begin(&calls); !component.isAtEnd(); ++component)
      if (component->size() == 1 && !component.hasCycle())
        if (llvm::Function* function = component->front()->getFunction();
            function && !function->isDeclaration())
          order.push_back(function);
  }
  llvm::SmallPtrSet<llvm::Function*, 16> changed;
  for (llvm::Function* routine : order) {
    if (!has_messages(*routine, collectives))
      continue;
    llvm::SmallVector<llvm::CallBase*, 8> calls;
    for (llvm::User* user : routine->users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == routine)
        calls.push_back(call);
    for (llvm::CallBase* call : calls) {
      llvm::Function* caller = call->getFunction();
      if (inline_call(*call))
        changed.insert(caller);
    }
  }
  return changed;
}

bool inline_routines(llvm::ArrayRef<llvm::CallBase*> calls) {
  bool changed = false;
  for (llvm::CallBase* call : calls)
    changed |= inline_call(*call);
  return changed;
}

} // namespace tacit::overlap
