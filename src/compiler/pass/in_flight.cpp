#include "compiler/pass/in_flight.h"

#include "compiler/pass/fortran_variables.h"
#include "compiler/pass/locals.h"
#include "compiler/pass/options.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace tacit::compiler {

namespace {

in_flight use_of(const mpi_site& post, llvm::Value* pointer, bool receives, bool orders) {
  in_flight made;
  made.post = post;
  made.buffer = pointer;
  made.object = llvm::getUnderlyingObject(pointer, 0);
  made.writes_buffer = receives;
  made.orders = orders && is_checked(condition::ordering);
  made.local_object = known_to_mpi_only(made.object);
  return made;
}

/// True if the pointer may be MPI_BOTTOM, the null pointer, on some path.
bool may_be_bottom(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
  return llvm::any_of(objects, [](const llvm::Value* one) { return is_buffer_sentinel(one); });
}

bool is_variable(const llvm::Value* object) {
  return llvm::isa<llvm::GlobalVariable, llvm::AllocaInst>(object) || llvm::isNoAliasCall(object) ||
         is_allocatable_memory(object);
}

/// Of allocatables `settle_variables` knows more.
llvm::MDNode* tag_of(const in_flight& operation) {
  return llvm::isa<llvm::Argument>(operation.object)
             ? variable_tag(*operation.post.call->getFunction(), operation.object)
             : nullptr;
}

bool add(llvm::SmallVectorImpl<in_flight>& to, const mpi_site& post, param_role buffer, param_role count,
         param_role type, bool receives, bool orders) {
  llvm::Value* pointer = post.operand(buffer);
  if (!pointer || is_buffer_sentinel(pointer) ||
      (!is_predefined_datatype(post, post.operand(type)) && may_be_bottom(pointer)))
    return false;
  in_flight operation = use_of(post, pointer, receives, orders);
  if (const auto elements = constant_argument(post, post.operand(count)); elements && *elements > 0)
    operation.bytes = static_cast<std::uint64_t>(*elements) * datatype_bytes(post, post.operand(type));
  operation.starts_at_buffer = is_predefined_datatype(post, post.operand(type));
  operation.persistent = post.is(call_class::send_init) || post.is(call_class::recv_init);
  operation.may_be_absolute = !operation.starts_at_buffer && !is_variable(operation.object);
  operation.tag = tag_of(operation);
  to.push_back(operation);
  return true;
}

/// One piece of memory of a collective, if it has one. False if the piece cannot be told.
bool add_piece(llvm::SmallVectorImpl<in_flight>& to, const mpi_site& post, param_role buffer,
               param_role count, param_role type, bool receives) {
  llvm::Value* pointer = post.operand(buffer);
  if (!pointer || is_in_place(pointer))
    return true;
  if (is_buffer_sentinel(pointer)) // no data here, or absolute addresses
    return is_predefined_datatype(post, post.operand(type));
  in_flight piece = use_of(post, pointer, receives, true);
  // Displacements may lead below the pointer, so that only plain counts tell where the piece begins.
  piece.starts_at_buffer = post.operand(count) && is_predefined_datatype(post, post.operand(type));
  piece.may_be_absolute = !is_predefined_datatype(post, post.operand(type)) && !is_variable(piece.object);
  piece.tag = tag_of(piece);
  to.push_back(piece);
  return true;
}

/// Counts and displacements belong to the operation until it is complete (MPI-3.1, 5.12).
void add_array(llvm::SmallVectorImpl<in_flight>& to, const mpi_site& post, param_role role) {
  llvm::Value* pointer = post.operand(role);
  if (!pointer || is_buffer_sentinel(pointer))
    return;
  in_flight piece = use_of(post, pointer, false, true);
  piece.starts_at_buffer = true;
  to.push_back(piece);
}

/// Every rank's completion may tell that others have come here, so that it orders like a receive's. The root
/// of a broadcast only reads the buffer; which rank that is, is not known here.
bool add_collective(llvm::SmallVectorImpl<in_flight>& to, const mpi_site& post) {
  llvm::Value* op = post.operand(param_role::op);
  if (op && !is_predefined_operation(post, op))
    return false;
  const bool typed_sides = post.operand(param_role::send_type) != nullptr;
  const auto type = [&](param_role side) { return typed_sides ? side : param_role::datatype; };
  const auto count = [&](param_role side) { return typed_sides ? side : param_role::count; };
  for (const param_role role :
       {param_role::send_counts, param_role::send_displs, param_role::recv_counts, param_role::recv_displs})
    add_array(to, post, role);
  return add_piece(to, post, param_role::inout_buf, param_role::count, param_role::datatype, true) &&
         add_piece(to, post, param_role::send_buf, count(param_role::send_count), type(param_role::send_type),
                   false) &&
         add_piece(to, post, param_role::recv_buf, count(param_role::recv_count), type(param_role::recv_type),
                   true);
}

/// Nonblocking collectives whose memory is that of their buffer and count arguments (MPI_Ialltoallw has
/// arrays of datatypes, MPI_Ibarrier has no memory).
bool has_told_pieces(const call_row& row) {
  switch (row.id) {
  case mpi_call::Iallgather:
  case mpi_call::Iallgatherv:
  case mpi_call::Iallreduce:
  case mpi_call::Ialltoall:
  case mpi_call::Ialltoallv:
  case mpi_call::Ibcast:
  case mpi_call::Iexscan:
  case mpi_call::Igather:
  case mpi_call::Igatherv:
  case mpi_call::Ireduce:
  case mpi_call::Ireduce_scatter:
  case mpi_call::Ireduce_scatter_block:
  case mpi_call::Iscan:
  case mpi_call::Iscatter:
  case mpi_call::Iscatterv:
    return true;
  default:
    return false;
  }
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
  case call_class::collective:
    known = can_be_started(*post.row) && add_collective(made, post);
    break;
  case call_class::icollective:
    known = has_told_pieces(*post.row) && add_collective(made, post);
    break;
  default:
    break;
  }
  if (!known)
    made.clear();
  // A note ties one piece of memory to one request (src/compiler/hooks/slot.h).
  for (in_flight& one : made)
    one.comparable = !post.is(call_class::icollective) && !post.is(call_class::isendrecv);
  return made;
}

in_flight copy_of(const mpi_site& send) {
  in_flight made;
  made.post = send;
  made.from_copy = true;
  made.comparable = false;
  made.local_object = true; // nobody else gets to know the address
  return made;
}

} // namespace tacit::compiler
