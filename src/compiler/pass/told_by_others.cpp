#include "compiler/pass/told_by_others.h"

#include "compiler/pass/mpi_site.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace tacit::compiler {

namespace {

constexpr std::int64_t highest_of_one_thread = 2; // MPI_THREAD_SERIALIZED of Open MPI and MPICH

/// The calls of this function of MPI; a null pointer for each use that is none.
llvm::SmallVector<llvm::CallBase*, 4> calls_of_mpi(const llvm::Module& module, mpi_call which) {
  llvm::SmallVector<llvm::CallBase*, 4> found;
  for (const llvm::Function& function : module) {
    const call_row* row = used_call(function);
    if (!row || row->id != which)
      continue;
    for (const llvm::Use& use : function.uses()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
      found.push_back(call && call->isCallee(&use) && recognise(*call) ? call : nullptr);
    }
  }
  return found;
}

bool is_of_one_thread(llvm::CallBase& call) {
  const auto site = recognise(call);
  const auto level = constant_argument(*site, call.getArgOperand(site->language == binding::fortran ? 0 : 2));
  return level && *level <= highest_of_one_thread;
}

bool starts_threads(const llvm::Function& function) {
  return !function.use_empty() &&
         (function.getName() == "pthread_create" || function.getName() == "thrd_create" ||
          function.getName().starts_with("__kmpc_fork_") || // _call, _call_if, _teams
          function.getName().starts_with("_ZNSt6thread15_M_start_thread"));
}

/// True if the variable is only loaded, emptied, and handed to calls that make generalized requests or end requests.
bool holds_generalized_requests_only(const llvm::Value* variable) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(variable);
  if (global ? !global->hasLocalLinkage() : !llvm::isa<llvm::AllocaInst>(variable))
    return false;
  return llvm::all_of(variable->uses(), [&](const llvm::Use& use) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(use.getUser()))
      return store->getPointerOperand() == variable && llvm::isa<llvm::Constant>(store->getValueOperand());
    auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    const auto site = call ? recognise(*call) : std::nullopt;
    if (!site)
      return llvm::isa<llvm::LoadInst>(use.getUser()) || (call && call->isLifetimeStartOrEnd());
    return site->is(mpi_call::Grequest_start) || site->is(call_class::complete) ||
           site->is(call_class::request_free) || site->is(call_class::cancel);
  });
}

void announce(llvm::CallBase& call, llvm::Instruction* before, const char* hook) {
  const auto site = recognise(call);
  llvm::IRBuilder<> at(before);
  const std::string name = std::string(hook) + (site->language == binding::fortran ? "_f" : "");
  at.CreateCall(
      call.getModule()->getOrInsertFunction(name, at.getVoidTy(), at.getPtrTy()),
      {site->operand(site->is(mpi_call::Grequest_start) ? param_role::new_request : param_role::request)});
}

llvm::Instruction* behind(llvm::CallBase& call) {
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  return invoke ? &*llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest())->getFirstInsertionPt()
                : call.getNextNode();
}

} // namespace

bool announce_freed_requests(llvm::Module& module) {
  bool any = false;
  for (llvm::CallBase* call : calls_of_mpi(module, mpi_call::Request_free))
    if (call && !holds_generalized_requests_only(recognise(*call)->operand(param_role::request))) {
      announce(*call, call, "__tacit_request_freed");
      any = true;
    }
  for (llvm::CallBase* call : calls_of_mpi(module, mpi_call::Grequest_start))
    if (call) {
      announce(*call, behind(*call), "__tacit_request_made");
      any = true;
    }
  return any;
}

bool frees_requests_unseen(const llvm::Module& module) {
  return llvm::is_contained(calls_of_mpi(module, mpi_call::Request_free), nullptr);
}

bool may_run_threads(const llvm::Module& module) {
  const auto asked = calls_of_mpi(module, mpi_call::Init_thread);
  return asked.empty()
             ? llvm::any_of(module, starts_threads)
             : !llvm::all_of(asked, [](llvm::CallBase* call) { return call && is_of_one_thread(*call); });
}

} // namespace tacit::compiler
