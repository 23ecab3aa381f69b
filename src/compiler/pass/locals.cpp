#include "compiler/pass/locals.h"

#include "compiler/pass/mpi_site.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace tacit::compiler {

namespace {

/// True for calls that hand the pointers of their buffers to an operation of the user.
bool hands_buffers_over(const mpi_site& site) {
  const llvm::Value* op = site.operand(param_role::op);
  return op && !is_predefined_operation(site, op);
}

/// True for calls of MPI that keep a pointer and give it back to the program later, or to code of the user.
bool gives_pointers_back(const mpi_site& site) {
  switch (site.row->id) {
  case mpi_call::Address:
  case mpi_call::Get_address:
  case mpi_call::Attr_put:
  case mpi_call::Comm_set_attr:
  case mpi_call::Type_set_attr:
  case mpi_call::Win_set_attr:
  case mpi_call::Buffer_attach:
  case mpi_call::Comm_attach_buffer:
  case mpi_call::Session_attach_buffer:
  case mpi_call::Comm_create_keyval:
  case mpi_call::Keyval_create:
  case mpi_call::Type_create_keyval:
  case mpi_call::Win_create_keyval:
  case mpi_call::Register_datarep:
    return true;
  default:
    return site.is(call_class::unknown) ||
           site.is(call_class::pcontrol); // windows, generalized requests, tools
  }
}

class foreign_captures final : public llvm::CaptureTracker {
public:
  bool found = false;

  void tooManyUses() override { found = true; }
  bool captured(const llvm::Use* use) override {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(use->getUser()); call && call->getCalledFunction()) {
      const auto site = recognise(*call);
      if (site && call->isArgOperand(use) && is_buffer(site->role(call->getArgOperandNo(use))) &&
          hands_buffers_over(*site))
        return found = true;
      if (site ? !(call->isArgOperand(use) && site->role(call->getArgOperandNo(use)) == param_role::other &&
                   gives_pointers_back(*site))
               : is_hook(*call))
        return false;
    }
    return found = true;
  }
};

} // namespace

bool known_to_mpi_only(llvm::Value* object) {
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isNoAliasCall(object))
    return false;
  foreign_captures tracker;
  llvm::PointerMayBeCaptured(object, &tracker);
  return !tracker.found;
}

bool may_be_into(const llvm::Value* pointer, const llvm::Value* object) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
  return llvm::any_of(objects, [&](const llvm::Value* one) {
    return one == object || llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::IntToPtrInst>(one);
  });
}

} // namespace tacit::compiler
