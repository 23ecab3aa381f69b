// Problem: MPI_Ibcast does not match MPI_Bcast (MPI-3.1, 5.12). If one rank starts a broadcast, all ranks of
// the communicator must start theirs, whichever call they execute: `if (rank == root) MPI_Bcast(a…) else
// MPI_Bcast(b…)` is one collective. Which calls of a program meet cannot be told in general.
//
// Idea: all or nothing. With the option on, the calls whose completion can move go to the hooks with a slot
// (overlap.cpp), and in the end every mention of the MPI function that is left in the module gives way to a
// function of the module that starts and completes. That all files of the program and the libraries it calls
// are compiled so is what the user promises with the option. Nothing of it is decided at run time, where
// ranks could differ. Cost: linear in the functions declared.
#include "compiler/pass/collectives.h"

#include "compiler/pass/mpi_site.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/IR/IRBuilder.h>

namespace tacit::compiler {

namespace {

using llvm::Function;

/// void or int f(arguments) { return hook(nullptr, arguments); }
Function* starts_and_completes(Function& blocking, const std::string& hook, std::size_t parameters) {
  llvm::Module& module = *blocking.getParent();
  auto* made = Function::Create(blocking.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                "tacit.now." + blocking.getName(), module);
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(module.getContext(), "", made));
  llvm::SmallVector<llvm::Value*, 12> operands{llvm::ConstantPointerNull::get(at.getPtrTy())};
  llvm::SmallVector<llvm::Type*, 12> types{at.getPtrTy()};
  for (llvm::Argument& argument : llvm::make_range(made->arg_begin(), made->arg_begin() + parameters)) {
    operands.push_back(&argument);
    types.push_back(argument.getType());
  }
  llvm::Type* result = blocking.getReturnType();
  llvm::CallInst* call = at.CreateCall(
      module.getOrInsertFunction(hook, llvm::FunctionType::get(result, types, false)), operands);
  result->isVoidTy() ? at.CreateRetVoid() : at.CreateRet(call);
  return made;
}

/// What keeps the function from being replaced; empty if nothing does.
std::string obstacle(const Function& function, binding language, std::size_t parameters) {
  if (language == binding::c_large)
    return wording(remark::has_large_counts);
  const bool lengths =
      language == binding::fortran && appends_lengths(function.getFunctionType()->params(), parameters);
  if (function.isVarArg() || (function.arg_size() != parameters && !lengths))
    return wording(remark::declared_otherwise);
  return "";
}

bool is_f08_collective(const Function& function) {
  if (!is_f08_name(function.getName()))
    return false;
  return llvm::any_of(call_rows(), [&](const call_row& row) {
    return can_be_started(row) && function.getName().contains(llvm::StringRef(row.name).lower() + "_f08");
  });
}

void complain(const Function& function, const std::string& why, bool fortran) {
  const std::string text =
      "tacit: " + wording(remark::would_not_match,
                          {function.getName().str(), why, reason_label(reason::binding_not_followed)});
  if (fortran) // flang 19 drops the errors of plugins
    llvm::report_fatal_error(llvm::StringRef(text), /*gen_crash_diag=*/false);
  function.getContext().emitError(text);
}

} // namespace

bool start_all_collectives(llvm::Module& module) {
  bool changed = false;
  llvm::SmallVector<Function*, 16> declared;
  for (Function& function : module)
    if (function.isDeclaration() && !function.use_empty())
      declared.push_back(&function);
    else if (const auto own = known_symbol(function.getName());
             own && !own->hook && !function.isDeclaration() &&
             (can_be_started(*own->row) || own->row->kind == call_class::icollective))
      complain(function, wording(remark::programs_own), own->language == binding::fortran);
  for (Function* function : declared) {
    if (is_f08_collective(*function))
      complain(*function, wording(remark::of_f08), true);
    const auto found = known_symbol(function->getName());
    if (!found || found->hook || !can_be_started(*found->row))
      continue;
    const bool fortran = found->language == binding::fortran;
    const std::size_t parameters = parameter_roles(*found->row).size() + (fortran ? 1 : 0);
    if (const std::string why = obstacle(*function, found->language, parameters); !why.empty()) {
      complain(*function, why, fortran);
      continue;
    }
    function->replaceAllUsesWith(
        starts_and_completes(*function, starting_hook(*found->row) + (fortran ? "_f" : ""), parameters));
    changed = true;
  }
  return changed;
}

} // namespace tacit::compiler
