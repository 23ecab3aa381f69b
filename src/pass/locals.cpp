#include "pass/locals.h"

#include "pass/mpi_site.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace tacit::overlap {

namespace {

class foreign_captures final : public llvm::CaptureTracker {
public:
  bool found = false;

  void tooManyUses() override { found = true; }
  bool captured(const llvm::Use* use) override {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(use->getUser()))
      if (call->getCalledFunction() && (recognise(*call) || is_hook(*call)))
        return false;
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

} // namespace tacit::overlap
