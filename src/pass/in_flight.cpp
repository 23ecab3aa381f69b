#include "pass/in_flight.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace tacit::overlap {

namespace {

/// Captures by anybody but MPI: MPI uses a buffer until the operation completes and forgets it then.
class foreign_captures final : public llvm::CaptureTracker {
public:
  bool found = false;

  void tooManyUses() override { found = true; }
  bool captured(const llvm::Use* use) override {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(use->getUser()))
      if (call->getCalledFunction() &&
          (recognise(*call) || call->getCalledFunction()->getName().starts_with("__tacit_")))
        return false;
    found = true;
    return true;
  }
};

bool known_to_mpi_only(llvm::Value* object) {
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isNoAliasCall(object))
    return false;
  foreign_captures tracker;
  llvm::PointerMayBeCaptured(object, &tracker);
  return !tracker.found;
}

bool add(llvm::SmallVectorImpl<in_flight>& to, const mpi_site& post, param_role buffer, param_role type,
         bool receives, bool orders) {
  llvm::Value* pointer = post.operand(buffer);
  if (!pointer || is_buffer_sentinel(pointer))
    return false;
  in_flight operation;
  operation.post = post;
  operation.buffer = pointer;
  operation.object = llvm::getUnderlyingObject(pointer, 0);
  operation.writes_buffer = receives;
  operation.orders = orders;
  operation.starts_at_buffer = is_predefined_datatype(post, post.operand(type));
  operation.persistent = post.is(call_class::send_init) || post.is(call_class::recv_init);
  operation.local_object = known_to_mpi_only(operation.object);
  to.push_back(operation);
  return true;
}

} // namespace

llvm::SmallVector<in_flight, 2> operations_of(const mpi_site& post) {
  llvm::SmallVector<in_flight, 2> made;
  bool known = false;
  switch (post.row->kind) {
  case call_class::send:
  case call_class::isend:
  case call_class::send_init:
    known = add(made, post, param_role::in_buf, param_role::datatype, false,
                post.is(mpi_call::Ssend) || post.is(mpi_call::Issend) || post.is(mpi_call::Ssend_init));
    break;
  case call_class::recv:
  case call_class::irecv:
  case call_class::recv_init:
    known = add(made, post, param_role::out_buf, param_role::datatype, true, true);
    break;
  case call_class::sendrecv:
  case call_class::isendrecv:
    known = post.operand(param_role::send_buf) &&
            add(made, post, param_role::send_buf, param_role::send_type, false, false) &&
            add(made, post, param_role::recv_buf, param_role::recv_type, true, true);
    break;
  default:
    break;
  }
  if (!known)
    made.clear();
  return made;
}

} // namespace tacit::overlap
