// Order: the strongly connected components of the call graph from the leaves up, so that a routine is inlined
// with what was inlined into it before. A routine that only one call can reach moves into its caller. Others
// are copied, and everything behind this pass has to compile the copies: they are, if they are small, or if
// most of what they start or complete could do better in their callers (it is still pending at the return,
// its other half is there, or the buffers are theirs). A routine that stays is inlined later where something
// pending meets its call. Cost: linear in the code that results, which the limits bound.
#include "compiler/pass/inline_mpi.h"

#include "compiler/pass/mpi_site.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace tacit::compiler {

namespace {

constexpr unsigned max_callee =
    3000;                           // instructions of a routine that is inlined where only one call needs it
constexpr unsigned max_copy = 1500; // … that is copied: all later passes have to compile the copy, too
constexpr unsigned max_caller = 30000; // instructions of a routine that others are inlined into

bool may_be_inlined(const llvm::CallBase& call) {
  const llvm::Function& function = *call.getCalledFunction();
  return function.hasExactDefinition() && !function.hasFnAttribute(llvm::Attribute::NoInline) &&
         !function.hasOptNone() && !function.isVarArg() &&
         function.getInstructionCount() <= (moves_the_only_copy(call) ? max_callee : max_copy);
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
  if (&caller == &routine || !may_be_inlined(call) || caller.hasOptNone() || call.isNoInline() ||
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

llvm::SmallVector<llvm::Function*, 32> callees_first(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 32> order;
  llvm::CallGraph calls(module);
  for (auto component = llvm::scc_begin(&calls); !component.isAtEnd(); ++component)
    if (component->size() == 1 && !component.hasCycle())
      if (llvm::Function* function = component->front()->getFunction();
          function && !function->isDeclaration())
        order.push_back(function);
  return order;
}

llvm::SmallVector<llvm::CallBase*, 8> calls_of(llvm::Function& function) {
  llvm::SmallVector<llvm::CallBase*, 8> calls;
  for (llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == &function)
      calls.push_back(call);
  return calls;
}

bool moves_the_only_copy(const llvm::CallBase& call) {
  return call.getCalledFunction()->hasLocalLinkage() && call.getCalledFunction()->hasOneUse();
}

bool inline_routines(llvm::ArrayRef<llvm::CallBase*> calls) {
  bool changed = false;
  for (llvm::CallBase* call : calls)
    changed |= inline_call(*call);
  return changed;
}

} // namespace tacit::compiler
