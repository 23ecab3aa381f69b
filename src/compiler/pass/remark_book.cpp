#include "compiler/pass/remark_book.h"

#include "compiler/pass/mpi_site.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>

namespace tacit::compiler {

namespace {

constexpr const char* number_kind = "tacit.call";

template <class F>
void each_call(llvm::Module& module, F change) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& at : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&at))
        change(*call);
}

} // namespace

void number_calls(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  const unsigned kind = context.getMDKindID(number_kind);
  auto* type = llvm::Type::getInt32Ty(context);
  unsigned last = 0;
  each_call(module, [&](llvm::CallBase& call) {
    if (!recognise(call))
      return;
    auto* number = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, ++last));
    call.setMetadata(kind, llvm::MDNode::get(context, number));
  });
}

void forget_numbers(llvm::Module& module) {
  const unsigned kind = module.getContext().getMDKindID(number_kind);
  each_call(module, [&](llvm::CallBase& call) { call.setMetadata(kind, nullptr); });
}

unsigned number_of(const llvm::CallBase& call) {
  const llvm::MDNode* node = call.getMetadata(number_kind);
  return node ? static_cast<unsigned>(
                    llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue())
              : 0;
}

void remark_book::emit(llvm::function_ref<bool(const llvm::Function&)> about,
                       const call_numbers& moved_elsewhere) const {
  call_numbers moved = moved_elsewhere, said;
  const auto counts = [&](const kept_remark& one) { return one.text && about(*one.in); };
  for (const kept_remark& one : kept_)
    if (one.moved && counts(one))
      moved.insert(one.call);
  for (const kept_remark& one : kept_)
    if (counts(one) && (one.call == 0 || ((one.moved || !moved.contains(one.call)) &&
                                          said.insert(one.call * 2 + (one.moved ? 1 : 0)).second)))
      one.in->getContext().diagnose(*one.text);
}

} // namespace tacit::compiler
