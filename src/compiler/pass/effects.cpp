#include "compiler/pass/effects.h"

#include "compiler/pass/fortran_variables.h"
#include "compiler/pass/known_functions.h"
#include "compiler/pass/locals.h"
#include "compiler/pass/options.h"
#include "compiler/pass/requests.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace tacit::compiler {

namespace {

using llvm::dyn_cast;
using llvm::isa;
using llvm::MemoryLocation;

/// The location of an operation's bytes. In a later iteration the pointer may have another value, so only its
/// object counts.
MemoryLocation memory_of(const in_flight& operation, reach how) {
  const llvm::AAMDNodes variable(operation.tag, nullptr, nullptr, nullptr);
  if (how == reach::next_iteration || operation.varies)
    return MemoryLocation::getBeforeOrAfter(operation.object, variable);
  if (!operation.starts_at_buffer)
    return MemoryLocation::getBeforeOrAfter(operation.buffer, variable);
  if (operation.bytes == 0)
    return MemoryLocation::getAfter(operation.buffer, variable);
  return MemoryLocation(operation.buffer, llvm::LocationSize::upperBound(operation.bytes), variable);
}

std::string name_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee)
    return call.isInlineAsm() ? wording(remark::inline_assembly) : wording(remark::function_pointer);
  if (isa<llvm::IntrinsicInst>(call) && call.onlyAccessesInaccessibleMemory())
    return wording(remark::rounding);
  return llvm::demangle(callee->getName().str());
}

bool starts_messages(call_class kind) {
  switch (kind) {
  case call_class::send:
  case call_class::sendrecv:
  case call_class::isend:
  case call_class::isendrecv:
  case call_class::start:
  case call_class::collective:
  case call_class::icollective:
  case call_class::neighbor:
  case call_class::ineighbor:
    return true;
  default:
    return false;
  }
}

/// Calls that begin to receive; matching a synchronous send, they let it be complete.
bool starts_receives(call_class kind) {
  return kind == call_class::recv || kind == call_class::irecv || kind == call_class::mprobe ||
         kind == call_class::mrecv || kind == call_class::imrecv;
}

/// Calls whose result depends on what has arrived: when a message has come, so have those that were sent before.
bool asks_what_came(const mpi_site& site) {
  return site.is(call_class::cancel) || site.is(mpi_call::Iprobe) || site.is(mpi_call::Improbe);
}

/// Calls after which nothing may be pending, or that start operations on buffers that the call does not name.
bool is_opaque(call_class kind) {
  switch (kind) {
  case call_class::init:
  case call_class::finalize:
  case call_class::abort:
  case call_class::pcontrol:
  case call_class::start:
  case call_class::collective_init:
  case call_class::neighbor_init:
  case call_class::comm_make:
  case call_class::comm_idup:
  case call_class::comm_free:
  case call_class::request_free: // what has come before may tell that the freed operation is complete
  case call_class::buffering:
  case call_class::unknown:
    return true;
  default:
    return false;
  }
}

bool uses_requests(call_class kind) {
  return kind == call_class::complete || kind == call_class::request_query ||
         kind == call_class::request_free || kind == call_class::cancel;
}

/// Operands that are handles or numbers by value in C: in Open MPI handles are pointers, but to nothing of
/// the program.
bool is_memory(const mpi_site& site, param_role role, const llvm::Value* operand) {
  if (!operand->getType()->isPointerTy())
    return false;
  if (site.language == binding::fortran)
    return true;
  switch (role) {
  case param_role::datatype:
  case param_role::send_type:
  case param_role::recv_type:
  case param_role::op:
  case param_role::comm:
  case param_role::peer_comm:
  case param_role::group:
  case param_role::info:
  case param_role::request_value:
  case param_role::window:
  case param_role::file:
    return false;
  default:
    return true;
  }
}

/// False if the object may be an array of variable length.
bool is_elsewhere_than_stack(const llvm::Value* object) {
  return isa<llvm::GlobalVariable, llvm::Argument>(object) || llvm::isNoAliasCall(object);
}

llvm::Value* either(const mpi_site& site, param_role one, param_role other) {
  llvm::Value* found = site.operand(one);
  return found ? found : site.operand(other);
}

/// How many elements a buffer has, where they follow each other: displacements may lead below the pointer.
llvm::Value* count_of(const mpi_site& site, param_role buffer) {
  return buffer == param_role::send_buf   ? either(site, param_role::send_count, param_role::count)
         : buffer == param_role::recv_buf ? either(site, param_role::recv_count, param_role::count)
                                          : site.operand(param_role::count);
}

param_role type_role_of(param_role buffer) {
  return buffer == param_role::send_buf   ? param_role::send_type
         : buffer == param_role::recv_buf ? param_role::recv_type
                                          : param_role::datatype;
}

/// True if every path from the pointer leads to a variable, so that it is not MPI_BOTTOM.
bool leads_to_known_variables(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
  return llvm::all_of(objects, [](const llvm::Value* one) {
    return isa<llvm::GlobalVariable, llvm::AllocaInst>(one) || llvm::isNoAliasCall(one);
  });
}

bool has_cycle(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> back;
  llvm::FindFunctionBackedges(function, back);
  return !back.empty();
}

/// True if the function has a point from which no path leads out of it.
bool may_never_return(const llvm::Function& function) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> ends;
  llvm::SmallVector<const llvm::BasicBlock*, 32> work;
  for (const llvm::BasicBlock& block : function)
    if (llvm::succ_empty(&block) && ends.insert(&block).second)
      work.push_back(&block);
  while (!work.empty())
    for (const llvm::BasicBlock* before : llvm::predecessors(work.pop_back_val()))
      if (ends.insert(before).second)
        work.push_back(before);
  return ends.size() != function.size();
}

/// True for a call that may go on for ever, even if it touches nothing. Of what touches nothing and has no name, inline assembly,
/// nobody expects that.
bool may_not_return(const llvm::Instruction& at) {
  const auto* call = dyn_cast<llvm::CallBase>(&at);
  return call && !call->isInlineAsm() && !isa<llvm::IntrinsicInst>(call) && !call->willReturn() &&
         is_checked(condition::waiting);
}

/// True for intrinsics that have no effect on any memory of the program and on nothing else that MPI depends on. Others without
/// memory change how this thread computes from then on (its rounding mode), and so what a reduction gives that is still to be done.
bool is_inert(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::stacksave:
  case llvm::Intrinsic::get_rounding:
  case llvm::Intrinsic::get_fpenv:
  case llvm::Intrinsic::get_fpmode:
  case llvm::Intrinsic::trap: // ends the process, as any bad access would
    return true;
  default:
    return call.isAssumeLikeIntrinsic() || isa<llvm::ConstrainedFPIntrinsic>(call);
  }
}

/// True for what the linker defines: the beginning and the end of a section, or of all data. There is memory of variables
/// with other names, though LLVM takes two names for two pieces of memory.
bool is_defined_by_linker(const llvm::Value* object) {
  const auto* variable = dyn_cast<llvm::GlobalVariable>(object);
  if (!variable || !variable->isDeclaration())
    return false;
  const llvm::StringRef name = variable->getName();
  return name.starts_with("__start_") || name.starts_with("__stop_") || name == "__data_start" ||
         name == "data_start" || name == "__bss_start" || name == "_edata" || name == "edata" ||
         name == "_end" || name == "end";
}

/// True if two names may stand for the same memory.
bool may_be_one_place(const llvm::Value* one, const llvm::Value* other) {
  return (is_defined_by_linker(one) && isa<llvm::GlobalVariable>(other)) ||
         (is_defined_by_linker(other) && isa<llvm::GlobalVariable>(one));
}

conflict access_conflict(const in_flight& operation, bool writes, std::string detail) {
  return {operation.writes_buffer && !writes ? reason::buffer_read : reason::buffer_written,
          std::move(detail),
          {}};
}

} // namespace

bool effects::may_touch(llvm::Function& in, const in_flight& operation, const MemoryLocation& where,
                        reach how) {
  if (operation.from_copy || !is_checked(condition::data) ||
      (operation.local_object && !may_be_into(where.Ptr, operation.object)))
    return false;
  if (operation.may_be_absolute)
    return !known_to_mpi_only(const_cast<llvm::Value*>(llvm::getUnderlyingObject(where.Ptr, 0)));
  const llvm::Value* other = llvm::getUnderlyingObject(where.Ptr, 0);
  if (may_be_one_place(operation.object, other))
    return true;
  if (are_different_variables(operation.object, other) &&
      (!are_both_allocatable(operation.object, other) || held_different_memory(operation, other)))
    return false;
  return !aliases_(in).isNoAlias(memory_of(operation, how), where);
}

bool effects::is_ordered(const in_flight& operation, const llvm::Value* pointer) const {
  if (!exposed_.windows || !operation.orders)
    return false;
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
  return !llvm::all_of(objects, [](const llvm::Value* object) {
    const auto* global = dyn_cast<llvm::GlobalVariable>(object);
    return global ? global->isConstant() : known_to_mpi_only(const_cast<llvm::Value*>(object));
  });
}

/// The base of the other allocatable was loaded when this one held the memory of the operation: then it is
/// another's. (Loaded before, it may be what this one got by move_alloc.)
bool effects::held_different_memory(const in_flight& operation, const llvm::Value* other) {
  if (!operation.same_variable)
    return false;
  const auto* base = llvm::cast<llvm::LoadInst>(operation.object);
  const auto* later = llvm::cast<llvm::LoadInst>(other);
  const auto [entry, fresh] = same_time_.try_emplace({base, later}, false);
  if (fresh) {
    llvm::Function& in = *const_cast<llvm::Function*>(base->getFunction());
    entry->second = base->getFunction() == later->getFunction() &&
                    (dominators_(in).dominates(base, later) || keeps_its_memory(*base, *later, *base, *this));
  }
  return entry->second;
}

std::optional<conflict> effects::of(llvm::Instruction& at, const in_flight& operation, reach how) {
  if (auto* call = dyn_cast<llvm::CallInst>(&at); call && call->isMustTailCall())
    return conflict{reason::function_ends, wording(remark::tail_call), {}};
  if (at.isDebugOrPseudoInst() || !(at.mayReadOrWriteMemory() || at.mayThrow() || may_not_return(at)))
    return std::nullopt;
  if (exposed_.joined_variables && !operation.starts_at_buffer && !operation.from_copy)
    return conflict{reason::buffer_unknown, wording(remark::datatype_leads_on), {}};
  if (auto* call = dyn_cast<llvm::CallBase>(&at); call && !isa<llvm::AnyMemIntrinsic>(call))
    return of_call(*call, operation, how);
  return of_access(at, operation, how);
}

std::optional<conflict> effects::of_access(llvm::Instruction& at, const in_flight& operation, reach how) {
  if (at.isAtomic() || at.isVolatile() || isa<llvm::FenceInst>(at))
    return conflict{reason::synchronizes, wording(remark::atomic_access), {}};
  const auto touches = [&](const MemoryLocation& where) {
    return may_touch(*at.getFunction(), operation, where, how);
  };
  const auto checkable = [&](llvm::Value* pointer, std::uint64_t bytes, bool writes) {
    conflict found =
        access_conflict(operation, writes, writes ? wording(remark::store) : wording(remark::load));
    if (!exposed_.mapped_memory)
      found.checkable = plain_access{pointer, bytes, writes};
    return found;
  };
  const auto unless_ordered = [&](const llvm::Value* pointer) {
    return is_ordered(operation, pointer)
               ? std::optional(conflict{reason::synchronizes, wording(remark::shared_memory), {}})
               : std::nullopt;
  };
  const llvm::DataLayout& layout = at.getModule()->getDataLayout();
  if (auto* store = dyn_cast<llvm::StoreInst>(&at)) {
    if (operation.same_variable && changes_descriptor(*store, operation.object))
      return conflict{reason::unknown_effect, wording(remark::store), {}};
    if (!touches(MemoryLocation::get(store)))
      return unless_ordered(store->getPointerOperand());
    return checkable(store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()),
                     true);
  }
  if (auto* load = dyn_cast<llvm::LoadInst>(&at)) {
    if (!operation.writes_buffer || !touches(MemoryLocation::get(load)))
      return unless_ordered(load->getPointerOperand());
    return checkable(load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), false);
  }
  if (auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&at)) {
    if (touches(MemoryLocation::getForDest(memory)))
      return access_conflict(operation, true, wording(remark::block_write));
    auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&at);
    if (transfer && operation.writes_buffer && touches(MemoryLocation::getForSource(transfer)))
      return access_conflict(operation, false, wording(remark::block_copy));
    auto found = unless_ordered(memory->getRawDest());
    return found || !transfer ? found : unless_ordered(transfer->getRawSource());
  }
  return conflict{reason::unknown_effect, at.getOpcodeName(), {}};
}

std::optional<conflict> effects::of_call(llvm::CallBase& call, const in_flight& operation, reach how) {
  llvm::Function& in = *call.getFunction();
  const auto unknown = [&](const std::string& what) { return conflict{reason::unknown_effect, what, {}}; };
  if (const auto site = recognise(call))
    return of_mpi(*site, operation, how);
  llvm::Function* callee = call.getCalledFunction();
  if (!callee)
    return unknown(name_of(call));
  if (is_hook(call))
    return std::nullopt; // completes, notes or pokes other operations
  if (auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (intrinsic->isLifetimeStartOrEnd()) {
      if (!may_touch(in, operation, MemoryLocation::getBeforeOrAfter(intrinsic->getArgOperand(1)), how))
        return std::nullopt;
      return conflict{reason::buffer_ends, wording(remark::scope_ends), {}};
    }
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::stackrestore)
      return operation.from_copy || is_elsewhere_than_stack(operation.object)
                 ? std::nullopt
                 : std::optional(unknown(wording(remark::stack_unwound)));
    if (is_inert(*intrinsic))
      return std::nullopt;
  }
  if (call.doesNotAccessMemory() && call.doesNotThrow() && !may_not_return(call))
    return std::nullopt;
  if (callee->hasExactDefinition())
    return of_body(call, operation, how);
  if (is_pure_function(callee->getName()))
    return std::nullopt;
  const bool by_arguments = isa<llvm::IntrinsicInst>(&call)
                                ? call.onlyAccessesArgMemory() && call.doesNotThrow()
                                : is_argument_function(callee->getName());
  if (!by_arguments &&
      (!is_checked(condition::calls) || (operation.from_copy && !is_checked(condition::waiting))))
    return std::nullopt;
  if (!by_arguments)
    return unknown(name_of(call));
  for (llvm::Value* argument : call.args())
    if (argument->getType()->isPointerTy()) {
      if (may_touch(in, operation, MemoryLocation::getBeforeOrAfter(argument), how))
        return access_conflict(operation, true, name_of(call));
      if (is_ordered(operation, argument))
        return conflict{reason::synchronizes, wording(remark::accesses_theirs, {name_of(call)}), {}};
    }
  return std::nullopt;
}

std::optional<conflict> effects::of_mpi(const mpi_site& site, const in_flight& operation, reach how) {
  const std::string name = name_of(*site.call);
  if (operation.persistent && uses_requests(site.row->kind))
    return conflict{reason::request_touched, wording(remark::uses_persistent, {name}), {}};
  if (is_opaque(site.row->kind) &&
      is_checked(site.is(call_class::pcontrol) ? condition::user_code : condition::ordering))
    return conflict{reason::unknown_effect, name, {}};
  if (operation.orders && asks_what_came(site))
    return conflict{reason::synchronizes, wording(remark::asks_what_came, {name}), {}};
  if (operation.orders &&
      (starts_messages(site.row->kind) || (exposed_.synchronous_sends && starts_receives(site.row->kind))))
    return conflict{reason::synchronizes, wording(remark::tells_others, {name}), {}};
  if (exposed_.windows && !site.is(call_class::local))
    return conflict{reason::unknown_effect, wording(remark::opens_window, {name}), {}};
  if (may_run_user_code(site, exposed_.callbacks)) // which may also wait for others
    return conflict{reason::unknown_effect, wording(remark::runs_user_code, {name}), {}};
  for (unsigned i = site.first; i < site.call->arg_size(); ++i) {
    llvm::Value* operand = site.call->getArgOperand(i);
    const param_role role = site.role(i);
    if (!is_memory(site, role, operand))
      continue;
    if ((role == param_role::status || role == param_role::statuses) && is_status_ignore(site, operand))
      continue;
    const bool writes_it = role == param_role::other || writes(role) || operand == site.ierror();
    if (!writes_it && !operation.writes_buffer)
      continue;
    bool from_pointer = false;
    if (is_buffer(role)) {
      llvm::Value* type = site.operand(type_role_of(role));
      const bool predefined = type && is_predefined_datatype(site, type);
      from_pointer = predefined && (count_of(site, role) || !is_checked(condition::bytes));
      if (is_buffer_sentinel(operand)) {
        if (predefined || operation.from_copy || !is_checked(condition::bytes))
          continue; // no data, or MPI_IN_PLACE
        return conflict{reason::unknown_effect, wording(remark::absolute_addresses, {name}), {}};
      }
      if (!predefined && !operation.local_object && !leads_to_known_variables(operand))
        return conflict{reason::unknown_effect, wording(remark::absolute_addresses, {name}), {}};
      if (!predefined && exposed_.joined_variables && !operation.from_copy && is_checked(condition::bytes))
        return conflict{reason::unknown_effect, wording(remark::datatype_leads_away, {name}), {}};
    }
    const MemoryLocation where =
        from_pointer ? MemoryLocation::getAfter(operand) : MemoryLocation::getBeforeOrAfter(operand);
    if (may_touch(*site.call->getFunction(), operation, where, how))
      return access_conflict(operation, writes_it, name);
  }
  return std::nullopt;
}

std::optional<conflict> effects::of_error_code(const mpi_site& site, const in_flight& operation) {
  llvm::Value* ierror = site.ierror();
  if (!ierror)
    return std::nullopt;
  llvm::Function& in = *site.call->getFunction();
  llvm::Value* object = llvm::getUnderlyingObject(ierror, 0);
  if (known_to_mpi_only(object) && !may_be_into(operation.buffer, object))
    return std::nullopt; // a local of which the message knows nothing
  const llvm::AAMDNodes tags(isa<llvm::Argument>(object) ? variable_tag(in, object) : nullptr, nullptr,
                             nullptr, nullptr);
  const MemoryLocation where(
      ierror, llvm::LocationSize::precise(request_bytes(*in.getParent(), site.language)), tags);
  if (!may_touch(in, operation, where, reach::same_iteration))
    return std::nullopt;
  return access_conflict(operation, true, name_of(*site.call));
}

std::optional<conflict> effects::of_body(llvm::CallBase& call, const in_flight& operation, reach how) {
  llvm::Function& callee = *call.getCalledFunction();
  const call_summary& summary = summary_of(callee);
  const std::string name = name_of(call);
  if (!summary.unknown.empty())
    return conflict{reason::unknown_effect, wording(remark::calls_unknown, {name, summary.unknown}), {}};
  if (operation.orders && summary.communicates)
    return conflict{reason::synchronizes, wording(remark::sends_messages, {name}), {}};
  if (operation.from_copy)
    return std::nullopt;
  const auto touched = [&](const llvm::SmallPtrSetImpl<const llvm::Value*>& objects, bool anything) {
    if (anything && !operation.local_object)
      return true;
    return llvm::any_of(objects, [&](const llvm::Value* object) {
      const auto* argument = dyn_cast<llvm::Argument>(object);
      const llvm::Value* actual = argument ? call.getArgOperand(argument->getArgNo()) : object;
      return may_touch(*call.getFunction(), operation, MemoryLocation::getBeforeOrAfter(actual), how);
    });
  };
  if (touched(summary.writes, summary.writes_anything))
    return access_conflict(operation, true, name);
  if (operation.writes_buffer && touched(summary.reads, summary.reads_anything))
    return access_conflict(operation, false, name);
  const auto ordered = [&](const llvm::SmallPtrSetImpl<const llvm::Value*>& objects) {
    return llvm::any_of(objects, [&](const llvm::Value* object) {
      const auto* argument = dyn_cast<llvm::Argument>(object);
      return is_ordered(operation, argument ? call.getArgOperand(argument->getArgNo()) : object);
    });
  };
  const bool anything = summary.writes_anything || summary.reads_anything;
  if ((anything && exposed_.windows && operation.orders) || ordered(summary.writes) || ordered(summary.reads))
    return conflict{reason::synchronizes, wording(remark::accesses_shared, {name}), {}};
  return std::nullopt;
}

bool effects::asks_the_time(llvm::Instruction& at) {
  auto* call = dyn_cast<llvm::CallBase>(&at);
  if (!call)
    return false;
  if (const auto site = recognise(*call))
    return site->is(call_class::local);
  llvm::Function* callee = call->getCalledFunction();
  return callee &&
         (callee->hasExactDefinition() ? summary_of(*callee).asks_the_time : is_clock(callee->getName()));
}

const call_summary& effects::summary_of(llvm::Function& function) {
  const auto [entry, fresh] = summaries_.try_emplace(&function);
  if (!fresh)
    return entry->second;
  entry->second.unknown = wording(remark::recursive); // what a recursive call sees
  call_summary made;
  if (may_never_return(function) && is_checked(condition::waiting))
    made.unknown = wording(remark::may_never_end);
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (made.unknown.empty() && !instruction.isDebugOrPseudoInst())
        add_to_summary(made, instruction);
  // A loop that asks for the time may wait for what others do.
  if (made.unknown.empty() && made.asks_the_time && has_cycle(function))
    made.unknown = wording(remark::may_wait);
  return summaries_[&function] = std::move(made);
}

void effects::add_to_summary(call_summary& summary, llvm::Instruction& instruction) {
  const auto touch = [&](const llvm::Value* pointer, bool written) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
    for (const llvm::Value* object : objects) {
      if (isa<llvm::Argument>(object) || isa<llvm::GlobalVariable>(object))
        (written ? summary.writes : summary.reads).insert(object);
      else if (!isa<llvm::AllocaInst>(object) && !llvm::isNoAliasCall(object))
        (written ? summary.writes_anything : summary.reads_anything) = true;
    }
  };
  if (instruction.isAtomic() || instruction.isVolatile()) {
    summary.unknown = wording(remark::atomic_access);
  } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    touch(store->getPointerOperand(), true);
  } else if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    touch(load->getPointerOperand(), false);
  } else if (auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
    touch(memory->getDest(), true);
    if (auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(memory))
      touch(transfer->getSource(), false);
  } else if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    llvm::Function* callee = call->getCalledFunction();
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(call);
    if ((call->doesNotAccessMemory() && call->doesNotThrow() && !may_not_return(*call)) ||
        (callee && !callee->hasExactDefinition() && is_pure_function(callee->getName())) ||
        (intrinsic && (call->isLifetimeStartOrEnd() || is_inert(*intrinsic)))) {
      return;
    } else if (const auto site = recognise(*call); site && site->is(call_class::local)) {
      summary.asks_the_time = true;
      if (may_run_user_code(*site, exposed_.callbacks))
        summary.unknown = name_of(*call);
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (llvm::Value* operand = call->getArgOperand(i); is_memory(*site, site->role(i), operand))
          touch(operand,
                site->role(i) == param_role::other || writes(site->role(i)) || operand == site->ierror());
    } else if (callee && callee->hasExactDefinition()) {
      const call_summary inner = summary_of(*callee);
      summary.unknown = inner.unknown;
      summary.communicates |= inner.communicates;
      summary.asks_the_time |= inner.asks_the_time;
      summary.reads_anything |= inner.reads_anything;
      summary.writes_anything |= inner.writes_anything;
      for (const bool written : {false, true})
        for (const llvm::Value* object : written ? inner.writes : inner.reads) {
          const auto* argument = dyn_cast<llvm::Argument>(object);
          touch(argument ? call->getArgOperand(argument->getArgNo()) : object, written);
        }
    } else if (callee && is_argument_function(callee->getName())) {
      summary.asks_the_time |= is_clock(callee->getName());
      for (llvm::Value* argument : call->args())
        if (argument->getType()->isPointerTy())
          touch(argument, true);
    } else {
      summary.unknown = name_of(*call); // MPI calls too: routines that communicate are inlined before
    }
  } else if (instruction.mayReadOrWriteMemory() || instruction.mayThrow()) {
    summary.unknown = instruction.getOpcodeName();
  }
}

} // namespace tacit::compiler
