#include "compiler/pass/user_code.h"

#include "compiler/pass/options.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace tacit::compiler {

namespace {

using llvm::dyn_cast;
using llvm::isa;

/// Functions that MPI may run in any of its calls: error handlers, the delete functions of datatypes (MPICH
/// runs them when the last message with the datatype is complete), callbacks of MPI_T events.
bool hands_over_for_anywhere(const call_row& row) {
  switch (row.id) {
  case mpi_call::Comm_create_errhandler:
  case mpi_call::Win_create_errhandler:
  case mpi_call::File_create_errhandler:
  case mpi_call::Session_create_errhandler:
  case mpi_call::Errhandler_create:
  case mpi_call::Type_create_keyval:
    return true;
  default:
    return false;
  }
}

/// A reduction that goes on after the call, by an operation that the user may have made.
bool reduces_later(const llvm::Function& function) {
  return llvm::any_of(function.users(), [](const llvm::User* user) {
    auto* call = dyn_cast<llvm::CallBase>(const_cast<llvm::User*>(user));
    const auto site = call ? recognise(*call) : std::nullopt;
    const llvm::Value* op = site ? site->operand(param_role::op) : nullptr;
    return !op || !is_predefined_operation(*site, op);
  });
}

bool goes_on_later(const call_row& row) {
  return has(row, user_function::operation) &&
         (row.kind == call_class::icollective || row.kind == call_class::collective_init);
}

/// True if MPI gets the pointer as that of a request, and not as data or as the value of an attribute that it gives back.
bool takes_requests(llvm::CallBase& call, const llvm::Value* pointer) {
  const auto site = recognise(call);
  if (!site)
    return false;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i) == pointer)
      switch (site->role(i)) {
      case param_role::request:
      case param_role::requests:
      case param_role::new_request:
      case param_role::request_value:
        break;
      default:
        return false;
      }
  return !call.hasOperandBundles();
}

/// True if nothing but MPI's calls in this module puts requests into the variable, as far as its uses are
/// visible.
bool filled_by_mpi_only(const llvm::Value* variable) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(variable);
  if (!(global && global->hasLocalLinkage()) && !isa<llvm::AllocaInst>(variable) &&
      !llvm::isNoAliasCall(variable))
    return false;
  llvm::SmallVector<const llvm::Value*, 16> pointers{variable};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen{variable};
  while (!pointers.empty()) {
    const llvm::Value* pointer = pointers.pop_back_val();
    for (const llvm::User* user : pointer->users()) {
      if (isa<llvm::GEPOperator, llvm::PHINode, llvm::SelectInst, llvm::ConstantExpr>(user)) {
        if (seen.insert(user).second)
          pointers.push_back(user);
        continue;
      }
      if (isa<llvm::LoadInst, llvm::ICmpInst>(user))
        continue;
      if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (store->getPointerOperand() == pointer && isa<llvm::Constant>(store->getValueOperand()))
          continue;
        return false;
      }
      auto* call = dyn_cast<llvm::CallBase>(const_cast<llvm::User*>(user));
      const auto* fill = call ? dyn_cast<llvm::MemSetInst>(call) : nullptr;
      if (!call || !(takes_requests(*call, pointer) || is_hook(*call) || call->isLifetimeStartOrEnd() ||
                     (fill && isa<llvm::Constant>(fill->getValue()))))
        return false;
    }
  }
  return true;
}

/// True if one of the requests that the call is given may be a generalized one.
bool may_be_generalized(const mpi_site& site, const user_code& known) {
  if (known.requests)
    return true;
  for (const param_role role : {param_role::request, param_role::requests, param_role::request_value})
    if (const llvm::Value* request = site.operand(role)) {
      // By value in C: what was loaded from the variable.
      const auto* loaded = dyn_cast<llvm::LoadInst>(request);
      const bool by_value = role == param_role::request_value && site.language != binding::fortran;
      if (by_value && !loaded)
        return true;
      return !filled_by_mpi_only(
          llvm::getUnderlyingObject(by_value ? loaded->getPointerOperand() : request, 0));
    }
  return true;
}

} // namespace

user_code user_code_of(const llvm::Module& module) {
  user_code found;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    if (function.getName().contains_insensitive("mpi_t_event"))
      found.anywhere = true;
    const call_row* row = used_call(function);
    if (!row)
      continue;
    found.error_handlers |= has(*row, user_function::sets_handler);
    found.requests |= row->id == mpi_call::Grequest_start;
    found.anywhere |= hands_over_for_anywhere(*row) || (goes_on_later(*row) && reduces_later(function));
  }
  return found;
}

bool may_run_user_code(const mpi_site& site, const user_code& known) {
  return is_checked(condition::user_code) && runs_user_code(site, known);
}

bool runs_user_code(const mpi_site& site, const user_code& known) {
  const call_row& row = *site.row;
  if (known.anywhere && !site.is(mpi_call::Wtime) && !site.is(mpi_call::Wtick))
    return true;
  if (has(row, user_function::attributes) || has(row, user_function::handler) ||
      has(row, user_function::conversion) || has(row, user_function::tool))
    return true;
  if (has(row, user_function::requests) && may_be_generalized(site, known))
    return true;
  const llvm::Value* op = site.operand(param_role::op);
  return has(row, user_function::operation) && (!op || !is_predefined_operation(site, op));
}

} // namespace tacit::compiler
