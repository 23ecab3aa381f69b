#include "pass/in_flight.h"

#include "pass/locals.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace tacit::overlap {

namespace {

bool add(llvm::SmallVectorImpl<in_flight>& to, const mpi_site& post, param_role buffer, param_role count,
         param_role type, bool receives, bool orders) {
  llvm::Value* pointer = post.operand(buffer);
  if (!pointer || is_buffer_sentinel(pointer))
    return false;
  in_flight operation;
  operation.post = post;
  operation.buffer = pointer;
  operation.object = llvm::getUnderlyingObject(pointer, 0);
  operation.writes_buffer = receives;
  operation.orders = orders;
  if (const auto elements = constant_argument(post, post.operand(count)); elements && *elements > 0)
    operation.bytes = static_cast<std::uint64_t>(*elements) * datatype_bytes(post, post.operand(type));
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
    known = add(made, post, param_role::in_buf, param_role::count, param_role::datatype, false,
                post.is(mpi_call::Ssend) || post.is(mpi_call::Issend) || post.is(mpi_call::Ssend_init));
    break;
  case call_class::recv:
  case call_class::irecv:
  case call_class::recv_init:
    known = add(made, post, param_role::out_buf, param_role::count, param_role::datatype, true, true);
    break;
  case call_class::sendrecv:
  case call_class::isendrecv:
    known =
        post.operand(param_role::send_buf) &&
        add(made, post, param_role::send_buf, param_role::send_count, param_role::send_type, false, false) &&
        add(made, post, param_role::recv_buf, param_role::recv_count, param_role::recv_type, true, true);
    break;
  default:
    break;
  }
  if (!known)
    made.clear();
  return made;
}

} // namespace tacit::overlap
