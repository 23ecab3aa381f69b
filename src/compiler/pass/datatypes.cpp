#include "compiler/pass/datatypes.h"

#include "compiler/pass/mpi_site.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace tacit::compiler {

namespace {

bool takes_bytes(const mpi_site& site) {
  switch (site.row->id) {
  case mpi_call::Type_create_struct:
  case mpi_call::Type_struct:
  case mpi_call::Type_create_hindexed:
  case mpi_call::Type_create_hindexed_block:
  case mpi_call::Type_hindexed:
  case mpi_call::Type_create_hvector:
  case mpi_call::Type_hvector:
    return true;
  default:
    return false;
  }
}

/// The variable whose address the number is.
const llvm::Value* variable_at(const llvm::Value* number) {
  const auto* cast = llvm::dyn_cast<llvm::PtrToIntOperator>(number);
  return cast ? llvm::getUnderlyingObject(cast->getPointerOperand(), 0) : nullptr;
}

/// True if the value is, or is computed by constants from, the difference of addresses of two variables.
bool is_distance(const llvm::Value* value) {
  const auto* operation = llvm::dyn_cast<llvm::Operator>(value);
  if (!operation)
    return false;
  if (operation->getOpcode() == llvm::Instruction::Sub) {
    const llvm::Value *from = variable_at(operation->getOperand(1)),
                      *to = variable_at(operation->getOperand(0));
    if (from && to && from != to)
      return true;
  }
  return llvm::isa<llvm::ConstantExpr>(value) && llvm::any_of(operation->operand_values(), is_distance);
}

bool joins_variables(const llvm::Function& function) {
  bool makes = false, subtracts = false;
  llvm::SmallPtrSet<const llvm::Value*, 4> variables;
  for (const llvm::Instruction& at : llvm::instructions(function)) {
    subtracts |= is_distance(&at) || llvm::any_of(at.operand_values(), is_distance);
    auto* call = llvm::dyn_cast<llvm::CallBase>(const_cast<llvm::Instruction*>(&at));
    const auto site = call ? recognise(*call) : std::nullopt;
    if (!site)
      continue;
    makes |= takes_bytes(*site);
    if (site->is(mpi_call::Get_address) || site->is(mpi_call::Address))
      variables.insert(llvm::getUnderlyingObject(call->getArgOperand(0), 0));
  }
  return variables.size() > 1 || (makes && subtracts);
}

bool makes_such_datatypes(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    const call_row* row = used_call(function);
    return row && takes_bytes({nullptr, row});
  });
}

} // namespace

bool joins_variables(const llvm::Module& module) {
  return makes_such_datatypes(module) &&
         llvm::any_of(module, [](const llvm::Function& function) { return joins_variables(function); });
}

} // namespace tacit::compiler
